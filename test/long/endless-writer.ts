import { argv, exit, stdout } from 'node:process'
import { startEmulator } from '../../src/emulator/index.js'

/** The line that is printed for an acknowledged batch. It is about the first document. */
export interface Acknowledged {
  readonly id: string
  /** The partition key of all documents of the batch. */
  readonly group: string
  readonly round: number
  readonly rangeId: string
  readonly lsn: number
}

/** The number of documents that are written together. */
export const batchSize = 5

const writers = 12

/**
 * Writes over HTTP without end. Each writer has its own partition key and continues after the stored round.
 */
async function main(dataDirectory: string): Promise<void> {
  const emulator = await startEmulator({ port: 0, dataDirectory, partitionCount: 2 })
  const { database } = await emulator.client().databases.createIfNotExists({ id: 'shop' })
  const { container } = await database.containers.createIfNotExists({ id: 'orders', partitionKey: '/group' })
  const stored = emulator.engine.container('shop', 'orders')
  const write = async (writer: number): Promise<void> => {
    const group = `writer-${writer}`
    const ids = Array.from({ length: batchSize }, (_, index) => `${group}-${index}`)
    const before = Number(stored.find([group], ids[0] ?? '')?.document['round'] ?? 0)
    for (let round = before + 1; ; round += 1) {
      const text = 'x'.repeat((round % 7) * 300)
      const operations = ids.map((id) => ({
        operationType: 'Upsert' as const,
        resourceBody: { id, group, round, text },
      }))
      const { code, result } = await container.items.batch(operations, group)
      if (code !== 200) throw new Error(`a batch was answered ${code}`)
      const etag = String(result?.[0]?.eTag)
      // The first eight digits of an etag are the LSN in hexadecimal, the third group the range.
      const [lsn = '', , rangeId = ''] = etag.slice(1).split('-')
      const said: Acknowledged = {
        id: ids[0] ?? '',
        group,
        round,
        rangeId: String(Number.parseInt(rangeId, 16)),
        lsn: Number.parseInt(lsn, 16),
      }
      stdout.write(`${JSON.stringify(said)}\n`)
    }
  }
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
}

if (argv[1]?.includes('endless-writer') === true) {
  main(argv[2] ?? '').catch((error: unknown) => {
    stdout.write(`${JSON.stringify({ failed: String(error) })}\n`)
    exit(1)
  })
}
