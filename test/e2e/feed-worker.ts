/**
 * One instance of a change feed processor as a process of its own. Says on standard output, one JSON line
 * each and before it goes on, what it acquires, delivers and releases; SIGTERM ends it in order.
 */
import { writeSync } from 'node:fs'
import { argv, env, pid } from 'node:process'
import { CosmosClient } from '@azure/cosmos'
import { ChangeFeedProcessor } from 'stepward/change-feed-processor'

/** What an instance says. */
export type WorkerLine =
  | { readonly acquired: string; readonly at: number }
  | { readonly released: string; readonly reason: string; readonly at: number }
  | { readonly delivered: readonly string[]; readonly lease: string; readonly at: number }

type Said = WorkerLine extends infer L ? (L extends WorkerLine ? Omit<L, 'at'> : never) : never

/** The system takes it at once: what is said before a kill was said. */
function say(line: Said): void {
  writeSync(1, `${JSON.stringify({ ...line, at: Date.now() })}\n`)
}

async function main(instanceName: string): Promise<void> {
  const client = new CosmosClient({ endpoint: env['COSMOS_ENDPOINT'] ?? '', key: env['COSMOS_KEY'] ?? '' })
  const database = client.database('shop')
  const processor = new ChangeFeedProcessor({
    monitoredContainer: database.container('orders'),
    leaseContainer: database.container('leases'),
    processorName: 'kills',
    instanceName,
    startFrom: 'beginning',
    maxItemCount: 10,
    // The relations of the defaults, short enough to wait for an expiration.
    leaseAcquireInterval: 300,
    leaseRenewInterval: 250,
    leaseExpirationInterval: 3_000,
    checkpointInterval: 200,
    pollInterval: { min: 20, max: 100 },
    onChanges: (changes, { leaseToken }) =>
      say({ delivered: changes.map(({ id }) => id), lease: leaseToken }),
    onLeaseAcquired: (leaseToken) => say({ acquired: leaseToken }),
    onLeaseReleased: (leaseToken, reason) => say({ released: leaseToken, reason }),
  })
  process.once('SIGTERM', () => {
    processor.stop().then(
      () => client.dispose(),
      (error: unknown) => {
        throw error
      },
    )
  })
  await processor.start()
}

await main(argv[2] ?? `worker-${pid}`)
