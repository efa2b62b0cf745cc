import { startHost } from 'stepward'
import { createInProcessCosmos } from '../../../src/emulator/index.js'
import { noop, worker } from '../jobs/workload.js'

const jobId = 'growth-00000000'

/** One job of the benchmark as the roles wrote it. */
export interface RecordedJob {
  /** The settings of the container. */
  readonly container: Record<string, unknown>
  /** The documents of each transaction as JSON, in the order in which they were written. */
  readonly transactions: readonly (readonly string[])[]
  readonly submittedAtMs: number
}

/** Runs one job on a store in memory, and records every version of its documents. */
export async function recordedJob(): Promise<RecordedJob> {
  const cosmos = createInProcessCosmos()
  const host = await startHost({ client: cosmos.client(), agents: [worker], slots: 1 })
  try {
    const transactions = new Map<number, string[]>()
    const container = cosmos.engine.container('stepward', 'state')
    container.indexes.followers.push({
      added: ({ lsn, fields: { text } }) => {
        transactions.set(lsn, [...(transactions.get(lsn) ?? []), text])
      },
      removed: () => undefined,
    })
    const job = await host.client.submit(noop, { value: 1 }, { jobId })
    await job.result()
    const documents = [...transactions.values()]
    const first = JSON.parse(documents[0]?.[0] ?? '{}') as { submittedAtMs: number }
    return {
      container: container.definition.body,
      transactions: documents,
      submittedAtMs: first.submittedAtMs,
    }
  } finally {
    await host.stop()
    await cosmos.close()
  }
}

/** Returns the documents of another job's transaction: another id, and a submission as many ms later. */
export function documentsOf(
  { submittedAtMs }: RecordedJob,
  transaction: readonly string[],
  number: number,
): readonly Record<string, unknown>[] {
  const id = `growth-${String(number).padStart(8, '0')}`
  return transaction.map((text) => {
    const own = text
      .replaceAll(jobId, id)
      .replace(`"submittedAtMs":${submittedAtMs}`, `"submittedAtMs":${submittedAtMs + number}`)
    return JSON.parse(own) as Record<string, unknown>
  })
}
