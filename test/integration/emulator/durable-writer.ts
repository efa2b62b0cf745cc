import { argv, exit, stdout } from 'node:process'
import { createInProcessCosmos } from '../../../src/emulator/index.js'

/** The line that is printed for each acknowledged write. */
export interface Acknowledged {
  readonly id: string
  readonly round: number
  readonly rangeId: string
  readonly lsn: number
}

const documents = 40
const writers = 16

/** Writes without end with concurrent writers, and prints a line for each write when it is durable. */
async function main(dataDirectory: string, firstRound: number): Promise<void> {
  const cosmos = createInProcessCosmos({ dataDirectory, partitionCount: 2 })
  if (cosmos.engine.databases.length === 0) {
    cosmos.engine.createDatabase('shop')
    cosmos.engine.createContainer('shop', { id: 'orders', partitionKey: { paths: ['/pk'] } })
  }
  const container = cosmos.engine.container('shop', 'orders')
  const write = async (writer: number): Promise<void> => {
    for (let round = firstRound; ; round += 1) {
      const id = `o${(writer + round * writers) % documents}`
      const text = 'x'.repeat((round % 7) * 500)
      const { version } = container.execute([id], {
        kind: 'upsert',
        document: { id, pk: id, round, writer, text },
      })
      const lsn = version?.lsn ?? 0
      await cosmos.engine.settled()
      const rangeId = container.partitionOf(version?.fields.epk ?? '').id
      const line: Acknowledged = { id: `${id}/${writer}`, round, rangeId, lsn }
      stdout.write(`${JSON.stringify(line)}\n`)
      // Gives the event loop a turn, so that lines are flushed and other writers run.
      await new Promise(setImmediate)
    }
  }
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
}

main(argv[2] ?? '', Number(argv[3] ?? 0)).catch((error: unknown) => {
  stdout.write(`${JSON.stringify({ failed: String(error) })}\n`)
  exit(1)
})
