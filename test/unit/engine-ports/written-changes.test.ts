import { describe, expect, it } from 'vitest'
import type { Change, ChangeFeed, ChangePage } from '../../../src/change-feed-processor/index.js'
import { enginePorts, WrittenVersions } from '../../../src/engine-ports/index.js'
import { jobDocumentId } from '../../../src/sas/model/document-ids.js'
import { decodeDelivered } from '../../../src/sas/model/delivered/decode-delivered.js'
import { WrittenChange } from '../../../src/sas/model/delivered/written-change.js'
import type { StateDocument } from '../../../src/sas/store/state-store.js'
import { aJob, aStep } from '../../support/a-job.js'
import { anEngine } from '../emulator/engine/an-engine.js'

/** Two processes on one engine: one with what it has written, and one without. */
function twoProcesses() {
  const engine = anEngine()
  engine.createDatabase('db')
  engine.createContainer('db', { id: 'state', partitionKey: { paths: ['/pk'] }, defaultTtl: -1 })
  const own = enginePorts(engine, 'db', { written: new WrittenVersions(true) })
  const other = enginePorts(engine, 'db')
  return {
    store: own.stateStore('state'),
    feed: own.changeFeed('state'),
    otherStore: other.stateStore('state'),
    otherFeed: other.changeFeed('state'),
  }
}

async function firstPage(feed: ChangeFeed): Promise<ChangePage> {
  const position = { feedRange: { min: '', max: 'FF' }, start: { kind: 'beginning' as const } }
  return feed.readNext(position, { maxItemCount: 100, signal: new AbortController().signal })
}

async function allChanges(feed: ChangeFeed): Promise<readonly Change[]> {
  return (await firstPage(feed)).changes
}

const job: StateDocument = { ...aJob(), pk: 'p', id: jobDocumentId('job-1'), note: 'of a newer version' }
const step: StateDocument = { ...aStep(), pk: 'p' }

const creates = (...documents: readonly StateDocument[]) =>
  documents.map((document) => ({ kind: 'create' as const, document }))

describe('changes that a process has written itself', () => {
  it('have the fields of the same changes as another process reads them', async () => {
    const { store, feed, otherFeed } = twoProcesses()
    await allChanges(feed)
    await store.apply('p', creates(job, step))
    const [written, read] = [await allChanges(feed), await allChanges(otherFeed)]
    const fields = [...Object.getOwnPropertyNames(WrittenChange.prototype), '_rid', '_etag', '_ts', '_lsn']
    const chosen = (change: Change) =>
      Object.fromEntries(fields.filter((name) => name !== 'constructor').map((name) => [name, change[name]]))
    expect(written.every((change) => change instanceof WrittenChange)).toBe(true)
    expect(written.map(chosen)).toEqual(read.map(chosen))
    expect(fields).toContain('completeByMs')
  })

  it('are decoded to the documents that were written, with unknown fields', async () => {
    const { store, feed, otherFeed } = twoProcesses()
    await allChanges(feed)
    await store.apply('p', creates(job, step))
    const written = (await allChanges(feed)).map(decodeDelivered)
    expect(written.map(({ kind }) => kind)).toEqual(['job', 'step'])
    expect(written).toEqual([
      { kind: 'job', job },
      { kind: 'step', step },
    ])
    const read = (await allChanges(otherFeed)).map(decodeDelivered)
    expect(read).toMatchObject(written)
  })

  it('count in the size of their page like those of others, because a kept page keeps them', async () => {
    const { store, feed, otherFeed } = twoProcesses()
    await allChanges(feed)
    await store.apply('p', creates({ ...job, note: 'x'.repeat(10_000) }))
    const { bytes } = await firstPage(feed)
    expect(bytes).toBeGreaterThan(10_000)
    expect((await firstPage(otherFeed)).bytes).toBe(bytes)
  })

  it('do not replace a document with fields of the store, such as a step that a restart copies', async () => {
    const { store, feed } = twoProcesses()
    await allChanges(feed)
    await store.apply('p', creates({ ...step, _etag: '"of another step"' }))
    const [change] = await allChanges(feed)
    expect(change).not.toBeInstanceOf(WrittenChange)
    expect(change?._etag).not.toBe('"of another step"')
  })

  it('are delivered so only once, and then from their text', async () => {
    const { store, feed } = twoProcesses()
    await allChanges(feed)
    await store.apply('p', creates(job))
    expect(await allChanges(feed)).toEqual([expect.any(WrittenChange)])
    const again = await allChanges(feed)
    expect(again).toMatchObject([job])
    expect(again[0]).not.toBeInstanceOf(WrittenChange)
  })

  it('are read from their text if another process has written a later version', async () => {
    const { store, feed, otherStore } = twoProcesses()
    await allChanges(feed)
    const applied = await store.apply('p', creates(job))
    const ifMatch = applied.kind === 'applied' ? (applied.etags[0] ?? '') : ''
    const document = { ...job, note: 'of the other process' }
    await otherStore.apply('p', [{ kind: 'replace', document, ifMatch }])
    const [change] = await allChanges(feed)
    expect(change).toMatchObject({ note: 'of the other process' })
  })

  it('are read from their text if they are not about a job or a step, or were written before the first read', async () => {
    const { store, feed } = twoProcesses()
    await store.apply('p', creates(job))
    expect((await allChanges(feed))[0]).not.toBeInstanceOf(WrittenChange)
    await store.apply('p', creates({ id: 'x', pk: 'p', total: 7 }))
    const [, other] = await allChanges(feed)
    expect(other).toMatchObject({ id: 'x', total: 7 })
    expect(other).not.toBeInstanceOf(WrittenChange)
  })
})
