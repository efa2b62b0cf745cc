import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Change, ChangeFeed, FeedPosition } from '../../../src/change-feed-processor/index.js'
import { createInProcessCosmos } from '../../../src/emulator/index.js'
import { attachAccount } from '../../../src/emulator/attach/attached-account.js'
import { WrittenVersions } from '../../../src/engine-ports/index.js'
import { connect, defineAgent, defineWorkflow, startHost } from '../../../src/index.js'
import { jobDocumentId, stepDocumentId } from '../../../src/sas/model/document-ids.js'
import { decodeDelivered } from '../../../src/sas/model/delivered/decode-delivered.js'
import type { StateDocument, StateStore } from '../../../src/sas/store/state-store.js'
import { aJob, aStep } from '../../support/a-job.js'
import { attachedProcess } from '../../support/local-door.js'
import { scratchDirectory } from '../../support/scratch-directory.js'

const beginning: FeedPosition = { feedRange: { min: '', max: 'FF' }, start: { kind: 'beginning' } }
const options = { maxItemCount: 1_000, signal: new AbortController().signal }

async function read(feed: ChangeFeed): Promise<readonly Change[]> {
  return (await feed.readNext(beginning, options)).changes
}

/** Reads to the end, and returns the number of pages and their changes. */
async function readAll(feed: ChangeFeed): Promise<readonly [pages: number, changes: readonly Change[]]> {
  const changes: Change[] = []
  let position = beginning
  for (let pages = 1; ; pages += 1) {
    const page = await feed.readNext(position, options)
    changes.push(...page.changes)
    position = page.next[0] ?? position
    if (page.isDrained) return [pages, changes]
  }
}

function job(jobId: string, note = ''): StateDocument {
  return { ...aJob(), id: jobDocumentId(jobId), pk: jobId, jobId, note }
}

async function create(store: StateStore, pk: string, ...documents: readonly StateDocument[]) {
  const result = await store.apply(
    pk,
    documents.map((document) => ({ kind: 'create' as const, document })),
  )
  if (result.kind !== 'applied') throw new Error(`the write ended with ${result.kind}`)
  return result.etags
}

describe('the feed of an attached process', () => {
  it('names the jobs and steps that the process has written, and does not send them back', async () => {
    const { ports, received } = await attachedProcess()
    const feed = ports.changeFeed()
    await read(feed)
    const long = 'x'.repeat(100_000)
    const step: StateDocument = {
      ...aStep(),
      id: stepDocumentId('a', 'only'),
      pk: 'a',
      jobId: 'a',
      note: long,
    }
    const [jobEtag, stepEtag] = await create(ports.state, 'a', job('a', long), step)
    const before = received()
    const { changes, bytes } = await feed.readNext(beginning, options)
    expect(received() - before).toBeLessThan(2_000)
    expect(bytes).toBeGreaterThan(200_000)
    expect(changes).toMatchObject([
      { id: jobDocumentId('a'), pk: 'a', type: 'sas.job', _etag: jobEtag },
      { id: stepDocumentId('a', 'only'), pk: 'a', type: 'sas.step', stepId: 'only', _etag: stepEtag },
    ])
    expect(changes.map((change) => decodeDelivered(change))).toEqual([
      { kind: 'job', job: job('a', long) },
      { kind: 'step', step },
    ])
  })

  it('sends what others have written, also in place of an own document', async () => {
    const { ports, beside } = await attachedProcess()
    const feed = ports.changeFeed()
    await read(feed)
    const [ifMatch = ''] = await create(ports.state, 'a', job('a', 'own'))
    await create(ports.state, 'b', job('b', 'own'))
    await create(beside, 'c', job('c', 'of the other process'))
    const document = job('a', 'changed by the other process')
    await beside.apply('a', [{ kind: 'replace', document, ifMatch }])
    const notes = (await read(feed)).map((change) => {
      const decoded = decodeDelivered(change)
      return decoded.kind === 'job' && [decoded.job.jobId, Reflect.get(decoded.job, 'note')]
    })
    expect(notes).toEqual([
      ['b', 'own'],
      ['c', 'of the other process'],
      ['a', 'changed by the other process'],
    ])
  })

  it('sends the documents if the process no longer has all of them', async () => {
    const { ports, charges } = await attachedProcess()
    const feed = ports.changeFeed()
    await read(feed)
    // The process counts the documents of a transaction as equally large, so it forgets the small ones earlier than the store.
    const ids = ['a', 'b', 'c']
    for (const id of ids) {
      const step: StateDocument = { ...aStep(), id: stepDocumentId(id, 'only'), pk: id, jobId: id }
      await create(ports.state, id, job(id, 'x'.repeat(1_800_000)), step)
    }
    charges.length = 0
    const [pages, changes] = await readAll(feed)
    expect(charges.filter((operation) => operation === 'feed.read').length).toBeGreaterThan(pages)
    expect(changes.map(({ pk }) => pk).toSorted()).toEqual(['a', 'a', 'b', 'b', 'c', 'c'])
    const kinds = changes.map((change) => decodeDelivered(change).kind)
    expect(kinds.toSorted()).toEqual(['job', 'job', 'job', 'step', 'step', 'step'])
  })

  it('is read once if the process replaces a document while a page names it', async () => {
    const { ports, charges } = await attachedProcess()
    const feed = ports.changeFeed()
    await read(feed)
    const [ifMatch = ''] = await create(ports.state, 'a', job('a', 'first'))
    charges.length = 0
    const reading = read(feed)
    await ports.state.apply('a', [{ kind: 'replace', document: job('a', 'second'), ifMatch }])
    expect((await reading).map((change) => decodeDelivered(change))).toMatchObject([
      { job: { note: 'first' } },
    ])
    expect(charges.filter((operation) => operation === 'feed.read')).toHaveLength(1)
    expect((await read(feed)).map((change) => decodeDelivered(change))).toMatchObject([
      { job: { note: 'second' } },
    ])
  })

  it('sends the documents if the connection was lost since', async () => {
    const { door, ports } = await attachedProcess()
    const feed = ports.changeFeed()
    await read(feed)
    await create(ports.state, 'a', job('a', 'before'))
    for (const socket of door.accepted) socket.destroy()
    await expect.poll(() => door.dialed.at(-1)?.destroyed).toBe(true)
    await create(ports.state, 'b', job('b', 'after'))
    const decoded = (await read(feed)).map((change) => decodeDelivered(change))
    expect(decoded).toMatchObject([
      { job: { jobId: 'a', note: 'before' } },
      { job: { jobId: 'b', note: 'after' } },
    ])
  })
})

/** Changes its input, and its output after it was returned. */
const taken = defineAgent('taken', {
  list: (input: { readonly items: string[] }) => {
    const items = [...input.items]
    input.items.push('added by the handler to its input')
    setImmediate(() => items.push('added after the handler returned'))
    return { items }
  },
})

const listing = defineWorkflow<{ readonly items: string[] }>('listing', (work) => {
  const first = work.step('first', taken.list, { items: work.input.items }, { undo: 'none' })
  const second = work.step('second', taken.list, { items: first.output.items }, { undo: 'none' })
  work.step('third', taken.list, { items: second.output.items }, { undo: 'none' })
})

describe('a program that changes its values later changes no stored job', () => {
  it.each(['in this process', 'in another process'])('whose store is %s', async (place) => {
    const take = vi.spyOn(WrittenVersions.prototype, 'take')
    onTestFinished(() => take.mockRestore())
    const dataDirectory = scratchDirectory()
    const cosmos = createInProcessCosmos({ dataDirectory })
    onTestFinished(() => cosmos.close())
    const opener = await connect({ embedded: cosmos })
    onTestFinished(() => opener.close())
    const embedded = place === 'in this process' ? cosmos : await attachAccount(dataDirectory)
    if (embedded === null) throw new Error('the store is not open')
    const host = await startHost({ embedded, agents: [taken] })
    onTestFinished(() => host.stop())
    const input = { items: ['one'] }
    const submitted = host.client.submit(listing, input, { jobId: 'job-1' })
    input.items.push('added during the submission')
    const job = await submitted
    input.items.push('added after the submission')
    expect(await job.result()).toMatchObject({ third: { items: ['one'] } })
    const isTaken = (value: unknown): boolean =>
      place === 'in this process' ? value instanceof Object : value === null
    await expect.poll(() => take.mock.results.some(({ value }) => isTaken(value))).toBe(true)
  })
})
