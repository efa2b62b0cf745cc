import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import type { ChangeFeed, FeedPosition } from '../../../src/change-feed-processor/index.js'
import { jobDocumentId } from '../../../src/sas/model/document-ids.js'
import type { StateDocument, StateStore } from '../../../src/sas/store/state-store.js'
import { aJob } from '../../support/a-job.js'
import { attachedProcess } from '../../support/local-door.js'

setFlagsFromString('--expose_gc')
const collect = runInNewContext('gc') as () => void
const mebibyte = 2 ** 20

const beginning: FeedPosition = { feedRange: { min: '', max: 'FF' }, start: { kind: 'beginning' } }

async function readAll(feed: ChangeFeed, signal = new AbortController().signal): Promise<number> {
  let [position, count] = [beginning, 0]
  for (;;) {
    const page = await feed.readNext(position, { maxItemCount: 1_000, signal })
    count += page.changes.length
    position = page.next[0] ?? position
    if (page.isDrained) return count
  }
}

function job(jobId: string, bytes: number): StateDocument {
  const text = jobId.padStart(bytes, 'x')
  return { ...aJob(), id: jobDocumentId(jobId), pk: jobId, jobId, input: { text } }
}

async function create(store: StateStore, document: StateDocument): Promise<WeakRef<object>> {
  const result = await store.apply(document.pk, [{ kind: 'create', document }])
  expect(result.kind).toBe('applied')
  return new WeakRef(document)
}

async function aliveBytes(refs: readonly WeakRef<object>[], bytesEach: number): Promise<number> {
  for (let round = 0; round < 10; round += 1) {
    await new Promise<void>((resolve) => {
      setImmediate(resolve)
    })
    collect()
  }
  return refs.filter((ref) => ref.deref() !== undefined).length * bytesEach
}

describe('an attached process', () => {
  it('keeps at most 4 MiB of documents that it has not read', async () => {
    const { ports } = await attachedProcess()
    const feed = ports.changeFeed()
    await readAll(feed)
    const refs: WeakRef<object>[] = []
    for (let index = 0; index < 100; index += 1)
      refs.push(await create(ports.state, job(`j-${index}`, 200_000)))
    expect(await aliveBytes(refs, 200_000)).toBeLessThan(5 * mebibyte)
  })

  it('keeps none of its documents after the feed has delivered all of them', async () => {
    const { ports } = await attachedProcess()
    const feed = ports.changeFeed()
    await readAll(feed)
    const refs: WeakRef<object>[] = []
    for (let index = 0; index < 60; index += 1)
      refs.push(await create(ports.state, job(`j-${index}`, 200_000)))
    expect(await readAll(feed)).toBe(60)
    expect(await aliveBytes(refs, 200_000)).toBe(0)
  })

  it('keeps none of its documents after an aborted read and a second read', async () => {
    const { ports } = await attachedProcess()
    const feed = ports.changeFeed()
    await readAll(feed)
    const refs: WeakRef<object>[] = []
    for (let index = 0; index < 20; index += 1)
      refs.push(await create(ports.state, job(`j-${index}`, 100_000)))
    const ending = new AbortController()
    const aborted = readAll(feed, ending.signal)
    ending.abort()
    await expect(aborted).rejects.toThrow()
    expect(await readAll(feed)).toBe(20)
    // A last one may be on the stack.
    expect(await aliveBytes(refs, 100_000)).toBeLessThan(300_000)
  })

  it('keeps none of its documents when the connection was lost, because the store names them no more', async () => {
    const { door, ports } = await attachedProcess()
    await readAll(ports.changeFeed())
    const refs: WeakRef<object>[] = []
    for (let index = 0; index < 20; index += 1)
      refs.push(await create(ports.state, job(`j-${index}`, 100_000)))
    for (const socket of door.accepted) socket.destroy()
    await expect.poll(() => door.dialed.at(-1)?.destroyed).toBe(true)
    expect(await ports.state.read({ pk: 'unknown', id: 'unknown' })).toBeNull()
    // A last one may be on the stack.
    expect(await aliveBytes(refs, 100_000)).toBeLessThan(300_000)
  })

  it('keeps none of the documents that another process has replaced, after the feed has delivered the replacements', async () => {
    const { ports, beside } = await attachedProcess()
    const feed = ports.changeFeed()
    await readAll(feed)
    const refs: WeakRef<object>[] = []
    for (let index = 0; index < 20; index += 1) {
      const document = job(`j-${index}`, 100_000)
      const result = await ports.state.apply(document.pk, [{ kind: 'create', document }])
      if (result.kind !== 'applied') throw new Error(result.kind)
      refs.push(new WeakRef(document))
      const later = job(`j-${index}`, 10)
      await beside.apply(later.pk, [{ kind: 'replace', document: later, ifMatch: result.etags[0] ?? '' }])
    }
    expect(await readAll(feed)).toBe(20)
    // A last one may be on the stack.
    expect(await aliveBytes(refs, 100_000)).toBeLessThan(300_000)
  })
})

describe('the store', () => {
  it('keeps no version that another process has replaced', async () => {
    const { cosmos, ports, beside } = await attachedProcess()
    await readAll(ports.changeFeed())
    const refs: WeakRef<object>[] = []
    for (let index = 0; index < 30; index += 1) {
      const document = job(`j-${index}`, 100_000)
      const result = await ports.state.apply(document.pk, [{ kind: 'create', document }])
      if (result.kind !== 'applied') throw new Error(result.kind)
      const version = cosmos.engine.container('stepward', 'state').find([document.pk], document.id)
      if (version === undefined) throw new Error('no version')
      refs.push(new WeakRef(version))
      const later = job(`j-${index}`, 10)
      await beside.apply(later.pk, [{ kind: 'replace', document: later, ifMatch: result.etags[0] ?? '' }])
    }
    expect(await aliveBytes(refs, 100_000)).toBeLessThan(300_000)
  })
})
