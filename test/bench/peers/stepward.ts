import { apart, type JobPrograms } from '../jobs/apart.js'
import { inOneProcess } from '../jobs/one-process.js'
import type { JobClient } from 'stepward'
import type { Order, Peer, RunningPeer } from './peer.js'
import { ordering, shop } from './ordering.js'

/** Slots for handlers: more than the jobs that run at once. */
const slots = 256

/** Returns the ways to run Stepward that are compared with other systems. */
export function stepwardPeers(programs: JobPrograms): readonly Peer[] {
  return [
    {
      name: 'Stepward, one process',
      missing: () => null,
      open: () =>
        held((use) =>
          inOneProcess({ slots, isThroughSdk: false, agents: [shop] }, (client) => use(client, [])),
        ),
    },
    {
      name: 'Stepward, apart, through the SDK',
      missing: () => null,
      open: () =>
        held((use) =>
          apart(programs, { slots, kind: 'alone', door: 'http' }, async ({ client, storeId, workerId }) =>
            use(client, [storeId, await workerId()]),
          ),
        ),
    },
    {
      name: 'Stepward, apart, local door',
      missing: () => null,
      open: () =>
        held((use) =>
          apart(programs, { slots, kind: 'alone', door: 'local' }, async ({ client, storeId, workerId }) =>
            use(client, [storeId, await workerId()]),
          ),
        ),
    },
  ]
}

type Use = (client: JobClient, processIds: readonly number[]) => Promise<void>

/** Opens a resource that ends with a function, and keeps it open until `close`. */
function held(running: (use: Use) => Promise<void>): Promise<RunningPeer> {
  return new Promise((resolve, reject) => {
    let release: () => void = () => undefined
    const released = new Promise<void>((end) => {
      release = end
    })
    const ended = running(async (client, processIds) => {
      resolve({
        processIds,
        run: (order) => ran(client, order),
        close: () => {
          release()
          return ended
        },
      })
      await released
    })
    ended.catch(reject)
  })
}

async function ran(client: JobClient, order: Order): Promise<string> {
  const job = await client.submit(ordering, order, { jobId: order.id })
  const { ship } = (await job.result()) as { readonly ship: { readonly id: string } }
  return ship.id
}
