import { describe, expect, it } from 'vitest'
import { SharedChangeFeed } from '../../../src/change-feed-processor/feed/shared-change-feed.js'
import type { FeedPosition } from '../../../src/change-feed-processor/index.js'
import { enginePorts } from '../../../src/engine-ports/index.js'
import { jobDocumentId } from '../../../src/sas/model/document-ids.js'
import { aJob } from '../../support/a-job.js'
import { anEngine } from '../emulator/engine/an-engine.js'

describe('a page of large documents', () => {
  it.each([1_000_000, 1_500_000, 1_900_000])('of %d bytes is read once for all roles', async (bytes) => {
    const engine = anEngine()
    engine.createDatabase('db')
    engine.createContainer('db', { id: 'state', partitionKey: { paths: ['/pk'] }, defaultTtl: -1 })
    const reads: string[] = []
    const ports = enginePorts(engine, 'db', { onCharge: (operation) => reads.push(operation) })
    const feed = new SharedChangeFeed({ feed: ports.changeFeed('state'), clock: { monotonic: () => 0 } })
    const { signal } = new AbortController()
    const beginning: FeedPosition = { feedRange: { min: '', max: 'FF' }, start: { kind: 'beginning' } }
    const [from = beginning] = (await feed.readNext(beginning, { maxItemCount: 100, signal })).next
    const document = { ...aJob(), pk: 'p', id: jobDocumentId('job-1'), input: { text: 'x'.repeat(bytes) } }
    await ports.stateStore('state').apply('p', [{ kind: 'create', document }])
    reads.length = 0
    for (let role = 0; role < 4; role += 1) {
      const page = await feed.readNext(from, { maxItemCount: 100, signal })
      expect(page.changes).toHaveLength(1)
    }
    expect(reads).toEqual(['feed.read'])
  })
})
