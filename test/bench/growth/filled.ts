import type { Container } from '../../../src/emulator/engine/index.js'
import type { CosmosEngine } from '../../../src/emulator/internal.js'
import { documentsOf, type RecordedJob } from './recorded-job.js'

/** The number of jobs whose next transaction waits for the disk. */
const inFlight = 200

/** Returns the container of the jobs, which it creates if the store is new. */
function jobContainer(engine: CosmosEngine, { container }: RecordedJob): Container {
  if (engine.databaseNamed('stepward') !== undefined) return engine.container('stepward', 'state')
  engine.createDatabase('stepward')
  return engine.createContainer('stepward', container)
}

/** Writes every transaction of jobs `from` to `to`. Returns the number of jobs per second. */
export async function fill(
  engine: CosmosEngine,
  recorded: RecordedJob,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<number> {
  const container = jobContainer(engine, recorded)
  let next = from
  const started = performance.now()
  const run = async (): Promise<void> => {
    while (next < to) {
      const number = next
      next += 1
      for (const transaction of recorded.transactions) {
        const documents = documentsOf(recorded, transaction, number)
        const key = [String(documents[0]?.['pk'])]
        container.batch(
          key,
          documents.map((document) => ({ kind: 'upsert', document })),
        )
        await engine.settled()
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(inFlight, to - from) }, run))
  return ((to - from) * 1_000) / (performance.now() - started)
}
