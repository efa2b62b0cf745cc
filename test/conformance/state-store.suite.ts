import { beforeEach, describe, expect, it } from 'vitest'
import type { PhysicalRange } from '../../src/change-feed-processor/index.js'
import type { VirtualClock } from '../../src/platform/index.js'
import type { JobDocument, StepDocument } from '../../src/sas/model/documents.js'
import { deadline, withDerivedState } from '../../src/sas/model/process-state.js'
import { schedule } from '../../src/sas/decisions/schedule.js'
import {
  replacing,
  type ApplyResult,
  type StateDocument,
  type StateStore,
  type StateWrite,
  type Stored,
} from '../../src/sas/store/state-store.js'
import type { NoticeFilter, PageEnd } from '../../src/sas/store/job-filter.js'
import { submit, type SubmitRequest } from '../../src/sas/submission/submit.js'
import { aSubmission, aWorkflow, documentsOf, theStep } from '../support/a-job.js'

/** An empty state container with more than one physical partition, and what a suite needs to look at it from outside. */
export interface OpenedStateStore {
  readonly store: StateStore
  readonly clock: VirtualClock
  /** As the change feed of the same container says. */
  physicalRanges(): Promise<readonly PhysicalRange[]>
  /** Stores a document past the store under test, as an operator's own tool does. */
  put(document: StateDocument): void
  /** The id of the physical partition in whose feed a change of this document is, or null. */
  rangeIdOf(id: string): Promise<string | null>
}

const create = (document: StateDocument): StateWrite => ({ kind: 'create', document })
const note = (id: string, text = 'first', pk = 'p'): StateDocument => ({ id, pk, text })

function applied(result: ApplyResult): ApplyResult & { kind: 'applied' } {
  if (result.kind !== 'applied') throw new Error(`not applied: ${JSON.stringify(result)}`)
  return result
}

/** What every implementation of the `StateStore` port does. */
export function stateStoreSuite(name: string, open: () => Promise<OpenedStateStore>): void {
  describe(`a state store: ${name}`, () => {
    let opened: OpenedStateStore
    beforeEach(async () => {
      opened = await open()
    })

    async function read(id: string, pk = 'p'): Promise<Stored<StateDocument>> {
      const document = await opened.store.read({ pk, id })
      if (document === null) throw new Error(`there is no document ${id}`)
      return document
    }

    async function submitted(overrides: Partial<SubmitRequest> = {}) {
      const plan = overrides.plan ?? aWorkflow({ pay: [], ship: ['pay'] }).plan
      const writes = submit(aSubmission(plan, overrides))
      const { pk } = documentsOf(writes).job
      applied(await opened.store.apply(pk, writes))
      return documentsOf(writes)
    }

    describe('a group of writes', () => {
      it('is applied as a whole, and each document can be read', async () => {
        const { store } = opened
        const result = applied(await store.apply('p', [create(note('a')), create(note('b'))]))
        expect(await store.read({ pk: 'p', id: 'a' })).toMatchObject({ id: 'a', pk: 'p', text: 'first' })
        expect((await read('b'))._etag).toBe(result.etags[1])
        expect(result.etags).toHaveLength(2)
      })

      it('R44, F-X5: is applied not at all when one of them cannot be', async () => {
        const { store } = opened
        await store.apply('p', [create(note('b'))])
        const result = await store.apply('p', [create(note('a')), create(note('b')), create(note('c'))])
        expect(result).toEqual({ kind: 'conflict', id: 'b', reason: 'exists' })
        expect(await store.read({ pk: 'p', id: 'a' })).toBeNull()
        expect(await store.read({ pk: 'p', id: 'c' })).toBeNull()
      })

      it('of a submission is one transaction of a hundred documents', async () => {
        const shape = Object.fromEntries(Array.from({ length: 98 }, (_, index) => [`s${index}`, []]))
        const alongside = [note('order', 'first', 'job-1')]
        await submitted({ plan: aWorkflow(shape).plan, alongside })
        expect(await opened.store.listSteps('job-1', 'job-1')).toHaveLength(98)
      })

      it('that is empty is a mistake of the caller’s', async () => {
        await expect(opened.store.apply('p', [])).rejects.toThrow('1 to 100')
      })

      it('reports its charge and the physical partition it went to', async () => {
        const { store } = opened
        const rangeIds = new Set<string | null>()
        for (let index = 0; index < 8; index += 1) {
          const pk = `p${index}`
          const one = applied(await store.apply(pk, [create(note(`one-${pk}`, '', pk))]))
          const two = applied(
            await store.apply(pk, [create(note(`two-${pk}`, '', pk)), create(note(`three-${pk}`, '', pk))]),
          )
          expect(one.physicalRangeId).toBe(await opened.rangeIdOf(`one-${pk}`))
          expect(two.physicalRangeId).toBe(one.physicalRangeId)
          expect(one.charge).toBeGreaterThan(0)
          expect(two.charge).toBeGreaterThan(one.charge)
          rangeIds.add(one.physicalRangeId)
        }
        expect([...rangeIds].sort()).toEqual((await opened.physicalRanges()).map(({ id }) => id).sort())
      })
    })

    describe.each([
      ['alone', (write: StateWrite) => [write]],
      ['in a group', (write: StateWrite) => [create(note('first-of-group')), write]],
    ] as const)('a write that loses its race, %s', (_how, group) => {
      it('because the document changed', async () => {
        const { store } = opened
        await store.apply('p', [create(note('a'))])
        const before = await read('a')
        await store.apply('p', [replacing(before, note('a', 'second'))])
        expect(await store.apply('p', group(replacing(before, note('a', 'third'))))).toEqual({
          kind: 'conflict',
          id: 'a',
          reason: 'changed',
        })
        expect(await read('a')).toMatchObject({ text: 'second' })
        expect(await store.read({ pk: 'p', id: 'first-of-group' })).toBeNull()
      })

      it('because the document is gone', async () => {
        const { store } = opened
        const write: StateWrite = { kind: 'replace', document: note('a'), ifMatch: '"1"' }
        expect(await store.apply('p', group(write))).toEqual({ kind: 'conflict', id: 'a', reason: 'missing' })
      })

      it('because the document exists', async () => {
        const { store } = opened
        await store.apply('p', [create(note('a'))])
        expect(await store.apply('p', group(create(note('a', 'second'))))).toEqual({
          kind: 'conflict',
          id: 'a',
          reason: 'exists',
        })
        expect(await read('a')).toMatchObject({ text: 'first' })
      })
    })

    describe('etags', () => {
      it('of a write are what the next write is conditional on, without a read between', async () => {
        const { store } = opened
        const [etag] = applied(await store.apply('p', [create(note('a'))])).etags
        const known = { ...note('a'), _etag: etag ?? '', _ts: 0 }
        const [second] = applied(await store.apply('p', [replacing(known, note('a', 'second'))])).etags
        const third = { ...note('a'), _etag: second ?? '', _ts: 0 }
        applied(await store.apply('p', [replacing(third, note('a', 'third')), create(note('b'))]))
        expect(await read('a')).toMatchObject({ text: 'third' })
      })

      it('change with every write', async () => {
        const { store } = opened
        await store.apply('p', [create(note('a'))])
        const before = await read('a')
        const [etag] = applied(await store.apply('p', [replacing(before, note('a'))])).etags
        expect(etag).not.toBe(before._etag)
      })
    })

    describe('a group with a document that could not be read back', () => {
      it('is refused as a whole, naming the document and the field (I1, I20)', async () => {
        const { job } = documentsOf(submit(aSubmission(aWorkflow().plan)))
        const audit = [{ command: 'cancel', stepId: null, at: '', by: 'op' }]
        const writes = [create({ id: 'a', pk: job.pk }), create({ ...job, audit })]
        const reason = 'audit.0.why: Invalid input: expected string, received undefined'
        const refused = { name: 'DocumentInvalid', documentId: job.id, reason }
        await expect(opened.store.apply(job.pk, writes)).rejects.toMatchObject(refused)
        await expect(opened.store.apply(job.pk, writes.slice(1))).rejects.toMatchObject(refused)
        expect(await opened.store.read({ pk: job.pk, id: 'a' })).toBeNull()
        expect(await opened.store.read(job)).toBeNull()
      })

      it('may be of a newer schema, or of a foreign type', async () => {
        applied(await opened.store.apply('p', [create({ id: 'a', pk: 'p', type: 'sas.job', schema: 2 })]))
        applied(await opened.store.apply('p', [create({ id: 'b', pk: 'p', type: 'invoice' })]))
      })
    })

    describe('records of what could not be read', () => {
      it('are listed, as many as are asked for', async () => {
        for (const id of ['a', 'b', 'c']) {
          applied(await opened.store.apply(id, [create({ id, pk: id, type: 'sas.unreadable' })]))
        }
        expect(await opened.store.listUnreadable(2)).toHaveLength(2)
        const all = await opened.store.listUnreadable(10)
        expect(all.map(({ id, pk }) => [id, pk]).toSorted()).toEqual([
          ['a', 'a'],
          ['b', 'b'],
          ['c', 'c'],
        ])
      })
    })

    describe('a document read', () => {
      it('is null when there is none in that partition', async () => {
        const { store } = opened
        await store.apply('p', [create(note('a'))])
        expect(await store.read({ pk: 'p', id: 'b' })).toBeNull()
        expect(await store.read({ pk: 'elsewhere', id: 'a' })).toBeNull()
      })

      it('has the system fields of the store, which are not written back', async () => {
        const { store } = opened
        await store.apply('p', [create(note('a'))])
        const before = await read('a')
        expect(before._ts).toBe(opened.clock.now() / 1_000)
        const write = replacing(before, { ...before, text: 'second' })
        expect(Object.keys(write.document).sort()).toEqual(['id', 'pk', 'text'])
        await opened.clock.advance(5_000)
        applied(await store.apply('p', [write]))
        const after = await read('a')
        expect(after._etag).not.toBe(before._etag)
        expect(after._ts).toBe(before._ts + 5)
      })

      it('F-X11: keeps what JSON holds', async () => {
        const value = { list: [1, null, { deep: true }], text: '🛒 „ß“', $from: ['x'], number: -1.5e-7 }
        await opened.store.apply('p', [create({ ...note('a'), value })])
        expect((await read('a'))['value']).toEqual(value)
      })

      it.each(['a/b\\c?d#e', '100 %', '~', 'böse 🛒', 'it\'s "quoted"', 'a:b', '..', 'x'.repeat(200)])(
        'F-X11: of job %j is found by its id',
        async (jobId) => {
          const { job, steps } = await submitted({ jobId, partition: jobId })
          const { store } = opened
          expect(await store.read({ pk: jobId, id: job.id })).toMatchObject({ jobId })
          expect((await store.findJob(jobId))?.['jobId']).toBe(jobId)
          expect(await store.listSteps(jobId, jobId)).toHaveLength(2)
          const step = await store.read({ pk: jobId, id: theStep(steps, 'pay').id })
          if (step === null) throw new Error('there is no step')
          applied(await store.apply(jobId, [replacing(step, { ...step, note: 'mine' })]))
        },
      )
    })

    describe('overdue steps', () => {
      const pickUpWithinMs = 60_000

      async function due(jobId: string, completeByMs: number | null): Promise<void> {
        const { job, steps } = documentsOf(
          submit(aSubmission(aWorkflow({ pay: [] }).plan, { jobId, partition: jobId })),
        )
        const step = { ...theStep(steps, 'pay'), ...deadline(completeByMs) }
        const ended = withDerivedState({ ...job, currentState: job.targetState })
        applied(await opened.store.apply(jobId, [create(ended), create(step)]))
      }

      it('are steps with a deadline before the moment asked for, wherever they are', async () => {
        for (const [jobId, completeByMs] of Object.entries({ a: 10, b: 20, c: 30, d: null })) {
          await due(jobId, completeByMs)
        }
        const absent = { id: 'no-deadline', pk: 'e', type: 'sas.step' }
        const foreign = { id: 'foreign', pk: 'e', type: 'order', completeByMs: 1 }
        opened.put(absent)
        opened.put(foreign)
        expect(await opened.store.listOverdue({ afterMs: 0, beforeMs: 30, pickUpWithinMs }, 100)).toEqual([
          { pk: 'a', id: 'sas.step:a:pay', dueMs: 10 },
          { pk: 'b', id: 'sas.step:b:pay', dueMs: 20 },
        ])
      })

      it('R26, R98: are jobs, too: those that stand still, and those that nobody took up', async () => {
        const jobs = { standing: deadline(10), later: deadline(40), fresh: deadline(null) }
        for (const [jobId, deadlines] of Object.entries(jobs)) {
          const { job } = documentsOf(
            submit(aSubmission(aWorkflow().plan, { jobId, partition: jobId, now: 5 })),
          )
          applied(await opened.store.apply(jobId, [create({ ...job, ...deadlines })]))
        }
        const dueBefore = async (beforeMs: number) =>
          (await opened.store.listOverdue({ afterMs: 0, beforeMs, pickUpWithinMs }, 100)).map(
            ({ pk, dueMs }) => [pk, dueMs],
          )
        expect(await dueBefore(5)).toEqual([])
        expect(await dueBefore(30)).toEqual([['standing', 10]])
        // A job that was just submitted is left to the schedulers for a while.
        const pickedUpBy = 5 + pickUpWithinMs
        expect(await dueBefore(pickedUpBy)).not.toContainEqual(['fresh', pickedUpBy])
        expect(await dueBefore(pickedUpBy + 1)).toContainEqual(['fresh', pickedUpBy])
      })

      it('F-V10: are the earliest, at most as many as asked for', async () => {
        for (const [jobId, completeByMs] of Object.entries({ d: 4, b: 2, a: 1, c: 3 })) {
          await due(jobId, completeByMs)
        }
        const dueFirst = async (limit: number) =>
          (await opened.store.listOverdue({ afterMs: 0, beforeMs: 30, pickUpWithinMs }, limit)).map(
            ({ pk }) => pk,
          )
        expect(await dueFirst(3)).toEqual(['a', 'b', 'c'])
        expect(await dueFirst(9)).toEqual(['a', 'b', 'c', 'd'])
      })

      it('come in pages that are never cut within a moment, whatever they are', async () => {
        for (const [jobId, completeByMs] of Object.entries({ a: 1, b: 2, c: 2, d: 3 }))
          await due(jobId, completeByMs)
        const { job } = documentsOf(submit(aSubmission(aWorkflow().plan, { jobId: 'e', partition: 'e' })))
        const fresh = { ...job, submittedAtMs: 2 - pickUpWithinMs, ...deadline(null) }
        applied(await opened.store.apply('e', [create(fresh)]))
        const page = async (afterMs: number, limit: number) =>
          (await opened.store.listOverdue({ afterMs, beforeMs: 30, pickUpWithinMs }, limit))
            .map(({ pk }) => pk)
            .sort()
        expect(await page(0, 2)).toEqual(['a', 'b', 'c', 'e'])
        expect(await page(2, 2)).toEqual(['d'])
        expect(await page(3, 2)).toEqual([])
      })

      it('F-C10: are not what newer code wrote', async () => {
        await due('a', 1)
        const [step] = await opened.store.listSteps('a', 'a')
        if (step === undefined) throw new Error('the step was just written')
        applied(await opened.store.apply('a', [replacing(step, { ...step, schema: 99 })]))
        expect(await opened.store.listOverdue({ afterMs: 0, beforeMs: 30, pickUpWithinMs }, 9)).toEqual([])
      })
    })

    it('jobs are counted by state, wherever they are', async () => {
      expect(await opened.store.countJobs()).toMatchObject({ Pending: 0, Processed: 0 })
      for (const [jobId, processState] of Object.entries({ a: 'Pending', b: 'Pending', c: 'Processed' }))
        opened.put({ id: `sas.job:${jobId}`, pk: jobId, type: 'sas.job', processState })
      opened.put({ id: 'foreign', pk: 'e', type: 'order', processState: 'Pending' })
      expect(await opened.store.countJobs()).toEqual({
        Pending: 2,
        Processing: 0,
        Processed: 1,
        Error: 0,
        Compensating: 0,
        Compensated: 0,
      })
    })

    describe('jobs listed', () => {
      const listed = async (filter: Parameters<StateStore['listJobs']>[0]): Promise<string[]> =>
        (await opened.store.listJobs(filter)).map(({ jobId }) => jobId)

      beforeEach(async () => {
        const other = { ...aWorkflow().plan, workflow: 'lending' }
        for (const [index, jobId] of ['one', 'two', 'three', 'four'].entries()) {
          const now = 1_000 * (index + 1)
          await submitted({ jobId, partition: jobId, now, ...(jobId === 'two' ? { plan: other } : {}) })
        }
        opened.put({ id: 'x', pk: 'x', type: 'sas.job', note: 'not readable' })
        const [before] = await opened.store.listJobs({ since: new Date(3_000), before: new Date(3_001) })
        if (before === undefined) throw new Error('there is no job')
        const done = withDerivedState({ ...before, currentState: 'Completed' })
        applied(await opened.store.apply('three', [replacing(before, done)]))
      })

      it('come newest first, those that can be read', async () => {
        expect(await listed({})).toEqual(['four', 'three', 'two', 'one'])
      })

      it('come by state, workflow and time, each alone and together', async () => {
        expect(await listed({ state: 'Processed' })).toEqual(['three'])
        expect(await listed({ workflow: 'lending' })).toEqual(['two'])
        expect(await listed({ since: new Date(3_000) })).toEqual(['four', 'three'])
        expect(await listed({ since: new Date(3_000), state: 'Pending', workflow: 'shopping' })).toEqual([
          'four',
        ])
        expect(await listed({ workflow: 'lending', state: 'Processed' })).toEqual([])
      })

      it('come at most as many as asked for, the newest of them, and the next page after these', async () => {
        expect(await listed({ state: 'Pending', limit: 2 })).toEqual(['four', 'two'])
        expect(await listed({ state: 'Pending', limit: 2, before: new Date(2_000) })).toEqual(['one'])
      })

      it('come a page at a time, none left out or twice, where many share a millisecond', async () => {
        const ids = ['ä', 'a b', 'c', 'd', 'e', 'f', 'g'].map((name) => `same ${name}`)
        for (const jobId of [...ids].reverse()) await submitted({ jobId, partition: jobId, now: 2_000 })
        opened.put({ id: 'y', pk: 'y', type: 'sas.job', submittedAtMs: 2_000, note: 'not readable' })
        const whole = await listed({ limit: 1_000 })
        expect([...whole].sort()).toEqual(['one', 'two', 'three', 'four', ...ids].sort())
        for (const limit of [1, 2, 3, 4, 11]) {
          const pages: string[] = []
          for (let after: PageEnd | null = null; ;) {
            const page: readonly JobDocument[] = await opened.store.listJobs({
              limit,
              ...(after === null ? {} : { after }),
            })
            pages.push(...page.map(({ jobId }) => jobId))
            const last = page.at(-1)
            if (last === undefined || page.length < limit) break
            after = last
          }
          expect(pages, `${limit} on a page`).toEqual(whole)
        }
      })

      it('R117: come by what is the matter with them, and by the step it is about', async () => {
        const flag = async (jobId: string, stepId: string | null): Promise<void> => {
          const job = await opened.store.findJob(jobId)
          if (job === null) throw new Error(`there is no job ${jobId}`)
          const attention = { kind: 'unclaimed' as const, since: '', by: 's', message: 'm', stepId }
          applied(await opened.store.apply(jobId, [replacing(job, { ...job, attention })]))
        }
        await flag('one', 'pay')
        await flag('four', null)
        expect(await listed({ isFlagged: true })).toEqual(['four', 'one'])
        expect(await listed({ step: 'pay' })).toEqual(['one'])
        expect(await listed({ attention: 'unclaimed' })).toEqual(['four', 'one'])
        expect(await listed({ attention: 'parked' })).toEqual([])
        expect(await listed({ step: 'pay', isFlagged: true, workflow: 'lending' })).toEqual([])
      })

      it('I15, F-V18: flagged ones come in pages by when they were flagged, each once, however many at once', async () => {
        const flag = async (jobId: string, since: string): Promise<void> => {
          const job = await opened.store.findJob(jobId)
          if (job === null) throw new Error(`there is no job ${jobId}`)
          const attention = { kind: 'unclaimed' as const, since, by: 's', message: 'm', stepId: 'pay' }
          applied(await opened.store.apply(jobId, [replacing(job, { ...job, attention })]))
        }
        await flag('three', '2026-01-01T00:00:00.000Z')
        await flag('one', '2026-01-01T00:00:00.001Z')
        await flag('four', '2026-01-01T00:00:00.001Z')
        const { store } = opened
        const page = async (after: string | null, limit: number): Promise<string[]> =>
          (await store.listFlagged(after, limit)).map(({ jobId }) => jobId)
        expect(await store.listFlagged(null, 1)).toEqual([
          {
            id: 'sas.job:three',
            pk: 'three',
            jobId: 'three',
            kind: 'unclaimed',
            stepId: 'pay',
            since: '2026-01-01T00:00:00.000Z',
          },
        ])
        expect((await page('2026-01-01T00:00:00.000Z', 1)).sort(), 'not cut within a moment').toEqual([
          'four',
          'one',
        ])
        expect(await page('2026-01-01T00:00:00.001Z', 1)).toEqual([])
        const all = await page(null, 100)
        expect([all[0], all.slice(1).sort()]).toEqual(['three', ['four', 'one']])
      })

      it('come with the etag that a write needs', async () => {
        const [job] = await opened.store.listJobs({ state: 'Processed' })
        if (job === undefined) throw new Error('there is no job')
        applied(await opened.store.apply('three', [replacing(job, { ...job, note: 'x' })]))
      })
    })

    describe('notices', () => {
      it('I13: are listed until they were sent or given up, by their job and by when they were due', async () => {
        const { store } = opened
        await submitted({ jobId: 'told', partition: 'p', now: 10, replyTo: 'https://shop.example/' })
        await submitted({ jobId: 'other', partition: 'p', now: 20, replyTo: 'https://shop.example/' })
        const [notice, ...more] = await store.listNotices('p', 'told')
        if (notice === undefined) throw new Error('there is no notice')
        expect(more).toEqual([])
        expect(notice).toMatchObject({ jobId: 'told', seq: 1, completeByMs: 10 })
        const unsent = async (afterMs: number, beforeMs: number, limit = 100): Promise<string[]> =>
          (await store.listUnsent({ afterMs, beforeMs }, limit)).map(({ jobId }) => jobId)
        expect(await unsent(0, 10)).toEqual([])
        expect(await store.listUnsent({ afterMs: 0, beforeMs: 11 }, 100)).toEqual([
          { id: notice.id, pk: 'p', jobId: 'told', dueMs: 10 },
        ])
        expect(await unsent(0, 21)).toEqual(['told', 'other'])
        expect(await unsent(0, 21, 1), 'the earliest first').toEqual(['told'])
        expect(await unsent(10, 21, 1), 'the next page after it').toEqual(['other'])
        expect(await unsent(20, 21)).toEqual([])
        await submitted({ jobId: 'too', partition: 'q', now: 10, replyTo: 'https://shop.example/' })
        expect((await unsent(0, 21, 1)).sort(), 'not cut within a moment').toEqual(['told', 'too'])
        applied(await store.apply('p', [replacing(notice, { ...notice, completeByMs: null })]))
        expect(await store.listNotices('p', 'told')).toEqual([])
        expect(await unsent(0, 21)).toEqual(['too', 'other'])
      })
    })

    describe('notices that were given up', () => {
      it('R122: are listed, all or those of a job or workflow, until they are to be sent again', async () => {
        const { store } = opened
        for (const jobId of ['one', 'two']) {
          await submitted({ jobId, partition: `p-${jobId}`, replyTo: 'https://shop.example/' })
          const [notice] = await store.listNotices(`p-${jobId}`, jobId)
          if (notice === undefined) throw new Error('there is no notice')
          const attention = { kind: 'notify' as const, since: '', by: 'n', message: 'gone' }
          const givenUp = { ...notice, completeByMs: null, attention }
          applied(await store.apply(notice.pk, [replacing(notice, givenUp)]))
        }
        const listed = async (filter: NoticeFilter): Promise<string[]> =>
          (await store.listUndelivered(filter)).map(({ jobId }) => jobId).sort()
        expect(await listed({})).toEqual(['one', 'two'])
        expect(await listed({ jobId: 'two', workflow: 'shopping' })).toEqual(['two'])
        expect(await listed({ workflow: 'lending' })).toEqual([])
        expect(await listed({ limit: 1 })).toHaveLength(1)
        const [notice] = await store.listUndelivered({ jobId: 'one' })
        if (notice === undefined) throw new Error('there is no notice')
        applied(await store.apply(notice.pk, [replacing(notice, { ...notice, attention: null })]))
        expect(await listed({})).toEqual(['two'])
      })
    })

    describe('a partition followed', () => {
      it('brings every document at first, then what has changed, and nothing of other partitions', async () => {
        const { store } = opened
        applied(await store.apply('p', [create(note('a')), create(note('b'))]))
        applied(await store.apply('q', [create(note('c', 'other', 'q'))]))
        const feed = store.follow('p')
        const ids = async (): Promise<string[]> => (await feed.readNext()).map(({ id }) => id).sort()
        expect(await ids()).toEqual(['a', 'b'])
        expect(await ids()).toEqual([])
        applied(await store.apply('q', [create(note('d', 'other', 'q'))]))
        applied(await store.apply('p', [replacing(await read('a'), note('a', 'second'))]))
        const changed = await feed.readNext()
        expect(changed).toMatchObject([{ id: 'a', text: 'second' }])
        expect(await ids()).toEqual([])
        expect(await store.follow('nobody').readNext()).toEqual([])
      })
    })

    describe('a job found', () => {
      it('is found whatever its partition is', async () => {
        for (const partition of ['p1', 'p2', 'p3', 'p4'])
          await submitted({ jobId: `job-${partition}`, partition })
        expect(await opened.store.findJob('job-p3')).toMatchObject({ jobId: 'job-p3', pk: 'p3' })
        expect(await opened.store.findJob('job-p5')).toBeNull()
      })

      it('is none when the document is not one', async () => {
        await opened.store.apply('p', [create({ id: 'sas.job:j', pk: 'p', type: 'order' })])
        expect(await opened.store.findJob('j')).toBeNull()
      })
    })

    describe('the steps of a job', () => {
      it('are its own only, with the etags that a write needs', async () => {
        const { job } = await submitted({ jobId: 'one', partition: 'p' })
        await submitted({ jobId: 'two', partition: 'p' })
        const stored = await opened.store.listSteps('p', 'one')
        expect(stored.map(({ stepId }) => stepId).sort()).toEqual(['pay', 'ship'])
        expect(new Set(stored.map(({ jobId }) => jobId))).toEqual(new Set(['one']))
        expect(await opened.store.listSteps('elsewhere', 'one')).toEqual([])
        const steps = new Map<string, Stored<StepDocument>>(stored.map((step) => [step.stepId, step]))
        const decision = schedule({ job, steps, now: opened.clock.now(), scheduler: 's' })
        if (decision.kind !== 'write') throw new Error(`decided ${decision.kind}`)
        const writes = decision.changed.flatMap((step) => {
          const before = steps.get(step.stepId)
          return before === undefined ? [] : [replacing(before, step)]
        })
        expect(applied(await opened.store.apply('p', writes)).etags).toHaveLength(1)
      })
    })
  })
}
