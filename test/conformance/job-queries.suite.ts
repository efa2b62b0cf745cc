import { beforeEach, describe, expect, it } from 'vitest'
import { emptyGate } from '../../src/sas/gates/gate.js'
import type { JobDocument } from '../../src/sas/model/documents.js'
import { withDerivedState } from '../../src/sas/model/process-state.js'
import type {
  JobFilter,
  NoticeFilter,
  PageEnd,
  QuestionFilter,
} from '../../src/sas/store/filters/job-filter.js'
import { replacing } from '../../src/sas/store/state-store.js'
import type { SubmitRequest } from '../../src/sas/submission/submit.js'
import { defineWorkflow } from '../../src/sas/workflow/workflow.js'
import { aWorkflow } from '../support/a-job.js'
import { applied, create, note, submittedTo, type OpenedState } from './opened-state.js'

/** The tests that every implementation of the `JobQueries` port passes. */
export function jobQueriesSuite(name: string, open: () => Promise<OpenedState>): void {
  describe(`job queries ${name}`, () => {
    let opened: OpenedState
    beforeEach(async () => {
      opened = await open()
    })

    const submitted = (overrides: Partial<SubmitRequest>) => submittedTo(opened.store, overrides)

    it('count the jobs of all partitions by state', async () => {
      expect(await opened.queries.countJobs()).toMatchObject({ Pending: 0, Processed: 0 })
      for (const [jobId, processState] of Object.entries({ a: 'Pending', b: 'Pending', c: 'Processed' }))
        opened.put({ id: `sas.job:${jobId}`, pk: jobId, type: 'sas.job', processState })
      opened.put({ id: 'foreign', pk: 'e', type: 'order', processState: 'Pending' })
      expect(await opened.queries.countJobs()).toEqual({
        Pending: 2,
        Processing: 0,
        Processed: 1,
        Error: 0,
        Compensating: 0,
        Compensated: 0,
      })
    })

    it('count the jobs that have not ended', async () => {
      expect(await opened.queries.countOpen()).toBe(0)
      const states = ['Pending', 'Processing', 'Compensating', 'Processed', 'Error', 'Compensated']
      for (const processState of states)
        opened.put({ id: `sas.job:${processState}`, pk: processState, type: 'sas.job', processState })
      opened.put({ id: 'sas.step:a', pk: 'Pending', type: 'sas.step', processState: 'Pending' })
      expect(await opened.queries.countOpen()).toBe(3)
    })

    describe('`listQuestions`', () => {
      const listed = async (filter: QuestionFilter): Promise<string[]> =>
        (await opened.queries.listQuestions(filter)).map(({ jobId }) => jobId)
      const asking = defineWorkflow('asking', (job) => void job.ask('approve', { title: 'Sure?' })).plan

      /** Stores a job whose question was put at this second, or is not open. */
      async function asked(jobId: string, second: number | null, assignees: string[] = []): Promise<void> {
        const plan = jobId === 'other' ? { ...asking, workflow: 'lending' } : asking
        await submitted({ jobId, partition: jobId, plan })
        const [step] = await opened.store.listSteps(jobId, jobId)
        if (step === undefined) throw new Error('there is no step')
        const since = `2026-01-01T00:00:0${second ?? 0}.000Z`
        const open = { title: 'Sure?', assignees, since, expiresAtMs: 1_000 }
        const put = { ...step, asked: second === null ? null : open }
        applied(await opened.store.apply(jobId, [replacing(step, put)]))
      }

      beforeEach(async () => {
        await asked('second', 2, ['ann', 'bob'])
        await asked('first', 1)
        await asked('other', 3, ['bob'])
        await asked('answered', null)
        await submitted({ jobId: 'never', partition: 'never', plan: asking })
        opened.put({ id: 'x', pk: 'x', type: 'sas.step', asked: { since: '2026', assignees: [] } })
        opened.put({ id: 'y', pk: 'y', type: 'order', asked: { since: '2026', assignees: [] } })
      })

      it('lists only open questions that can be read, the oldest first', async () => {
        expect(await listed({})).toEqual(['first', 'second', 'other'])
        expect(await listed({ newestFirst: true, limit: 2 })).toEqual(['other', 'second'])
      })

      it('lists those that a person may answer, and those of a workflow', async () => {
        expect(await listed({ assignee: 'ann' })).toEqual(['first', 'second'])
        expect(await listed({ assignee: 'bob' })).toEqual(['first', 'second', 'other'])
        expect(await listed({ workflow: 'lending' })).toEqual(['other'])
        expect(await listed({ workflow: 'lending', assignee: 'ann' })).toEqual([])
      })
    })

    describe('`listVersions`', () => {
      const read = async (after: string, limit = 10, pk = 'p') => {
        const page = await opened.queries.listVersions(pk, after, limit)
        if (page.kind !== 'page') throw new Error(`no page: ${JSON.stringify(page)}`)
        const changes = page.changes.map(({ operation, current, previous, previousLsn, lsn }) => ({
          what: `${operation} ${current?.id} ${String(previous?.['text'])} → ${String(current?.['text'])}`,
          isChained: (previousLsn ?? 0) < lsn,
        }))
        return { ...page, changes }
      }

      it('says so if the container keeps no versions', async () => {
        expect(await opened.queries.listVersions('p', 'now', 10)).toEqual({
          kind: 'notKept',
          reason: expect.stringContaining('changeFeedPolicy') as string,
        })
      })

      it('reads every version of one partition after a position, and continues from each page', async () => {
        applied(await opened.store.apply('p', [create(note('early'))]))
        await opened.keepVersions()
        const begin = (await read('now')).position
        applied(await opened.store.apply('p', [create(note('a')), create(note('b'))]))
        const a = await opened.store.read({ pk: 'p', id: 'a' })
        if (a === null) throw new Error('there is no document')
        applied(await opened.store.apply('p', [replacing(a, { ...a, text: 'second' })]))
        applied(await opened.store.apply('q', [create(note('other', 'first', 'q'))]))
        const whole = ['create a undefined → first', 'create b undefined → first', 'replace a first → second']
        const page = await read(begin)
        expect(page.changes.map(({ what }) => what)).toEqual(whole)
        expect(page.changes.every(({ isChained }) => isChained)).toBe(true)
        expect(page.charge).toBeGreaterThan(0)
        const first = await read(begin, 1)
        expect(first.changes).toHaveLength(2)
        expect((await read(first.position)).changes).toHaveLength(1)
        expect(await read(page.position)).toMatchObject({ changes: [] })
        expect(await opened.queries.listVersions('p', String(Number(begin) - 1), 10)).toEqual({
          kind: 'forgotten',
        })
      })

      it('begins at the first document whose latest version was written since a time', async () => {
        await opened.keepVersions()
        applied(await opened.store.apply('p', [create(note('early'))]))
        await opened.clock.advance(100_000)
        const begin = Number((await read('now')).position)
        applied(await opened.store.apply('p', [create(note('late'))]))
        const since = opened.clock.now()
        expect(await opened.queries.firstLsn('p', since - 50_000)).toMatchObject({ lsn: begin + 1 })
        expect(await opened.queries.firstLsn('p', since + 50_000)).toMatchObject({ lsn: null })
        expect((await opened.queries.firstLsn('p', 0)).lsn).toBeLessThan(begin + 1)
      })
    })

    it('list the documents about which an operator decided, the newest decision first, by pages', async () => {
      expect(await opened.queries.listOperated(null, 10)).toEqual([])
      const times = Object.entries({ a: 10, b: 30, c: 20, d: 20, e: 20, f: undefined })
      for (const [id, operatedAtMs] of times) {
        opened.put({ id, pk: id, type: 'sas.job', ...(operatedAtMs === undefined ? {} : { operatedAtMs }) })
      }
      const page = async (beforeMs: number | null, limit: number): Promise<string[]> => {
        const found = await opened.queries.listOperated(beforeMs, limit)
        const sorted = found.map(({ operatedAtMs }) => Number(operatedAtMs))
        expect(sorted).toEqual([...sorted].sort((one, other) => other - one))
        return found.map(({ id }) => id).sort()
      }
      expect(await page(null, 10)).toEqual(['a', 'b', 'c', 'd', 'e'])
      expect(await page(null, 1)).toEqual(['b'])
      // The page is not cut between decisions of one millisecond.
      expect(await page(null, 2)).toEqual(['b', 'c', 'd', 'e'])
      expect(await page(20, 2)).toEqual(['a'])
      expect(await page(10, 2)).toEqual([])
    })

    describe('`listJobs`', () => {
      const listed = async (filter: JobFilter): Promise<string[]> =>
        (await opened.queries.listJobs(filter)).map(({ jobId }) => jobId)

      beforeEach(async () => {
        const other = { ...aWorkflow().plan, workflow: 'lending' }
        for (const [index, jobId] of ['one', 'two', 'three', 'four'].entries()) {
          const now = 1_000 * (index + 1)
          await submitted({ jobId, partition: jobId, now, ...(jobId === 'two' ? { plan: other } : {}) })
        }
        opened.put({ id: 'x', pk: 'x', type: 'sas.job', note: 'not readable' })
        const [before] = await opened.queries.listJobs({ since: new Date(3_000), before: new Date(3_001) })
        if (before === undefined) throw new Error('there is no job')
        const done = withDerivedState({ ...before, currentState: 'Completed' })
        applied(await opened.store.apply('three', [replacing(before, done)]))
      })

      it('returns all jobs that can be read, the newest first', async () => {
        expect(await listed({})).toEqual(['four', 'three', 'two', 'one'])
      })

      it('filters by state, workflow and time, each alone and together', async () => {
        expect(await listed({ state: 'Processed' })).toEqual(['three'])
        expect(await listed({ workflow: 'lending' })).toEqual(['two'])
        expect(await listed({ since: new Date(3_000) })).toEqual(['four', 'three'])
        expect(await listed({ since: new Date(3_000), state: 'Pending', workflow: 'shopping' })).toEqual([
          'four',
        ])
        expect(await listed({ workflow: 'lending', state: 'Processed' })).toEqual([])
      })

      it('returns the newest jobs up to the limit, and the next page before a given time', async () => {
        expect(await listed({ state: 'Pending', limit: 2 })).toEqual(['four', 'two'])
        expect(await listed({ state: 'Pending', limit: 2, before: new Date(2_000) })).toEqual(['one'])
      })

      it('returns pages without gaps or repetitions when jobs share a millisecond', async () => {
        const ids = ['ä', 'a b', 'c', 'd', 'e', 'f', 'g'].map((name) => `same ${name}`)
        for (const jobId of [...ids].reverse()) await submitted({ jobId, partition: jobId, now: 2_000 })
        opened.put({ id: 'y', pk: 'y', type: 'sas.job', submittedAtMs: 2_000, note: 'not readable' })
        const whole = await listed({ limit: 1_000 })
        expect([...whole].sort()).toEqual(['one', 'two', 'three', 'four', ...ids].sort())
        for (const limit of [1, 2, 3, 4, 11]) {
          const pages: string[] = []
          for (let after: PageEnd | null = null; ;) {
            const page: readonly JobDocument[] = await opened.queries.listJobs({
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

      it('filters by attention, and by the step that the attention concerns (R117)', async () => {
        const flag = async (jobId: string, stepId: string | null): Promise<void> => {
          const job = await opened.queries.findJob(jobId)
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

      it('filters by pauses, which have ended in a job with null', async () => {
        const put = async (jobId: string, paused: JobDocument['paused']): Promise<void> => {
          const job = await opened.queries.findJob(jobId)
          if (job === null) throw new Error(`there is no job ${jobId}`)
          applied(await opened.store.apply(jobId, [replacing(job, { ...job, paused })]))
        }
        await put('one', { since: '2026-01-01T00:00:00.000Z', by: 'ann', why: 'w' })
        await put('four', null)
        expect(await listed({ isPaused: true })).toEqual(['one'])
      })

      it('filters by tags, all of which a job must have', async () => {
        await submitted({ jobId: 'a', partition: 'a', now: 5_000, tags: ['customer=4711', 'region=eu'] })
        await submitted({ jobId: 'b', partition: 'b', now: 6_000, tags: ['customer=4711'] })
        await submitted({ jobId: 'c', partition: 'c', now: 7_000, tags: ['customer=47110'] })
        expect(await listed({ tags: { customer: 4711 } })).toEqual(['b', 'a'])
        expect(await listed({ tags: { customer: '4711', region: 'eu' } })).toEqual(['a'])
        expect(await listed({ tags: { region: 'us' } })).toEqual([])
        expect(await listed({ tags: { customer: 4711 }, before: new Date(6_000) })).toEqual(['a'])
        expect(await listed({ tags: { customer: 4711 }, limit: 1 })).toEqual(['b'])
      })

      it('filters by a part of an id, of the order id or of the workflow, and by the time that a job took', async () => {
        await submitted({ jobId: 'Ring-100%', orderId: 'ÖL-1', partition: 'a', now: 5_000 })
        expect(await listed({ text: 'RING' })).toEqual(['Ring-100%'])
        expect(await listed({ text: '%' })).toEqual(['Ring-100%'])
        expect(await listed({ text: 'öl-' })).toEqual(['Ring-100%'])
        expect(await listed({ text: 'LEND' })).toEqual(['two'])
        expect(await listed({ text: 'sas.job' })).toEqual([])
        const [before] = await opened.queries.listJobs({ text: 'ring' })
        if (before === undefined) throw new Error('there is no job')
        const ended = { ...before, endedAtMs: 95_000, endedAt: new Date(95_000).toISOString() }
        applied(await opened.store.apply('a', [replacing(before, ended)]))
        expect(await listed({ tookAtLeast: '90s' })).toEqual(['Ring-100%'])
        expect(await listed({ tookAtLeast: 90_001 })).toEqual([])
      })

      describe('`waitingFor`', () => {
        const step = 'sas.step'
        const due = { type: step, schema: 1, completeByMs: 9, dispatch: 1, direction: 'do', failureCount: 0 }
        const waits = {
          event: { ...due, kind: 'waitFor', event: null },
          time: { ...due, kind: 'sleep' },
          retry: { ...due, kind: 'operation', failureCount: 1 },
          limit: {
            ...due,
            kind: 'operation',
            place: { entry: 0, gates: [], waitsFor: 'bank', turn: null, since: '2026', reservedMs: null },
          },
          question: {
            type: step,
            dispatch: 1,
            asked: { title: 'Sure?', since: '2026', assignees: [], expiresAtMs: 9 },
          },
        } as const

        /** Stores a job whose steps have these parts, and whose ledger says that the steps are under way. */
        async function waiting(
          jobId: string,
          parts: object,
          state = 'Processing',
          dispatch = 1,
        ): Promise<void> {
          await submitted({ jobId, partition: jobId, now: 10_000 })
          const job = await opened.queries.findJob(jobId)
          const [first] = await opened.store.listSteps(jobId, jobId)
          if (job === null || first === undefined) throw new Error('there is no job')
          const steps = { ...(job as unknown as JobDocument).steps, [first.stepId]: { state, dispatch } }
          applied(
            await opened.store.apply(jobId, [
              replacing(job, { ...job, steps }),
              replacing(first, withDerivedState({ ...first, ...parts })),
            ]),
          )
        }

        it.each(Object.entries(waits))(
          '%s finds the jobs with a step that waits for it',
          async (kind, parts) => {
            for (const [name, other] of Object.entries(waits)) await waiting(name, other)
            await waiting('ledger', parts, 'Processed')
            await waiting('older', parts, 'Processing', 2)
            await waiting('undispatched', { ...parts, completeByMs: null, asked: null })
            expect(await listed({ waitingFor: kind as keyof typeof waits })).toEqual([kind])
          },
        )

        it('and `agent` find the jobs with one step that fulfils both', async () => {
          await waiting('tried', { ...waits.retry, actor: 'bank' })
          await waiting('first', { ...waits.retry, failureCount: 0, actor: 'bank' })
          await waiting('another', { ...waits.retry, actor: 'post' })
          await waiting('asleep', { ...waits.time, actor: 'bank' })
          await waiting('over', { ...waits.retry, actor: 'bank' }, 'Processed')
          await waiting('undispatched', { ...waits.retry, actor: 'bank', completeByMs: null })
          expect(await listed({ agent: 'bank', waitingFor: 'retry' })).toEqual(['tried'])
          expect(await listed({ agent: 'bank' })).toEqual(['first', 'tried'])
          expect(await listed({ agent: 'bank', workflow: 'lending' })).toEqual([])
          expect(await listed({ agent: 'mail' })).toEqual([])
        })

        it('counts failures of the undo, and leaves out steps that wait for something else', async () => {
          const undo = {
            actor: 'a',
            action: 'u',
            inputTemplate: null,
            input: null,
            failureCount: 0,
            whenUncertain: false,
          }
          const undone = { ...waits.retry, direction: 'undo' }
          await waiting('undo', { ...undone, failureCount: 0, undo: { ...undo, failureCount: 2 } })
          await waiting('first undo', { ...undone, undo })
          const tried = { kind: 'failed', attempt: 1, at: '2026', by: 'x', didNothing: false }
          const reported = { ...waits.retry, failureCount: 0, outcome: tried }
          await waiting('reported', { ...reported, lockedBy: 'host' })
          await waiting('free', { ...reported, lockedBy: null })
          await waiting('raised', { ...waits.event, event: { payload: 1, at: '2026' } })
          await waiting('question', { ...waits.event, question: { form: {} } })
          expect(await listed({ waitingFor: 'retry' })).toEqual(['reported', 'undo'])
          expect(await listed({ waitingFor: 'event' })).toEqual([])
        })

        it('finds jobs that wait at a limit before their first step', async () => {
          const { place } = waits.limit
          const inside = { ...place, waitsFor: null, since: null }
          for (const [jobId, at] of [
            ['outside', place],
            ['inside', inside],
          ] as const) {
            await submitted({ jobId, partition: jobId, now: 10_000 })
            const job = await opened.queries.findJob(jobId)
            if (job === null) throw new Error('there is no job')
            const changed = { ...job, completeByMs: 9, place: at }
            applied(await opened.store.apply(jobId, [replacing(job, changed)]))
          }
          expect(await listed({ waitingFor: 'limit' })).toEqual(['outside'])
          expect(await listed({ waitingFor: 'time' })).toEqual([])
        })

        it('lists page by page, and more jobs than a query names', async () => {
          for (let count = 0; count < 103; count += 1) await waiting(`job ${1_000 + count}`, waits.retry)
          await waiting('ended', waits.retry, 'Error')
          const ids = Array.from({ length: 103 }, (_, count) => `job ${1_000 + count}`)
          expect(await listed({ waitingFor: 'retry', limit: 1_000 })).toEqual(ids)
          const after = { submittedAt: new Date(10_000).toISOString(), jobId: 'job 1099' }
          expect(await listed({ waitingFor: 'retry', limit: 2, after })).toEqual(['job 1100', 'job 1101'])
          expect(await listed({ waitingFor: 'retry', workflow: 'lending' })).toEqual([])
          expect(await listed({ waitingFor: 'retry', state: 'Error' })).toEqual([])
        })
      })

      it('returns the etag that a write needs', async () => {
        const [job] = await opened.queries.listJobs({ state: 'Processed' })
        if (job === undefined) throw new Error('there is no job')
        applied(await opened.store.apply('three', [replacing(job, { ...job, note: 'x' })]))
      })
    })

    it('list the gates of all limits, and no other document of this kind that cannot be read', async () => {
      const gates = [emptyGate('bank', 1), { ...emptyGate('shop', 1), completeByMs: 20 }]
      for (const gate of gates) applied(await opened.store.apply(gate.pk, [create(gate)]))
      opened.put({ id: 'sas.gate:broken', pk: 'sas.gate:broken', type: 'sas.gate', schema: 2 })
      const keys = (await opened.queries.listGates()).map(({ key }) => key)
      expect(keys.toSorted()).toEqual(['bank', 'shop'])
      const due = await opened.store.listOverdue({ afterMs: 0, beforeMs: 30, pickUpWithinMs: 60_000 }, 100)
      expect(due).toEqual([{ pk: 'sas.gate:shop', id: 'sas.gate:shop', dueMs: 20 }])
    })

    describe('`listUndelivered`', () => {
      it('returns given-up notices, filtered by job or workflow, until they are resent (R122)', async () => {
        const { store, queries } = opened
        for (const jobId of ['one', 'two']) {
          await submitted({ jobId, partition: `p-${jobId}`, replyTo: 'https://shop.example/' })
          const [notice] = await store.listNotices(`p-${jobId}`, jobId)
          if (notice === undefined) throw new Error('there is no notice')
          const attention = { kind: 'notify' as const, since: '', by: 'n', message: 'gone' }
          const givenUp = { ...notice, completeByMs: null, attention }
          applied(await store.apply(notice.pk, [replacing(notice, givenUp)]))
        }
        const listed = async (filter: NoticeFilter): Promise<string[]> =>
          (await queries.listUndelivered(filter)).map(({ jobId }) => jobId).sort()
        expect(await listed({})).toEqual(['one', 'two'])
        expect(await listed({ jobId: 'two', workflow: 'shopping' })).toEqual(['two'])
        expect(await listed({ workflow: 'lending' })).toEqual([])
        expect(await listed({ limit: 1 })).toHaveLength(1)
        const [notice] = await queries.listUndelivered({ jobId: 'one' })
        if (notice === undefined) throw new Error('there is no notice')
        applied(await store.apply(notice.pk, [replacing(notice, { ...notice, attention: null })]))
        expect(await listed({})).toEqual(['two'])
      })
    })

    describe('`follow`', () => {
      it('returns every document of its partition at first, and then only what has changed', async () => {
        const { store, queries } = opened
        applied(await store.apply('p', [create(note('a')), create(note('b'))]))
        applied(await store.apply('q', [create(note('c', 'other', 'q'))]))
        const feed = queries.follow('p')
        const ids = async (): Promise<string[]> => (await feed.readNext()).map(({ id }) => id).sort()
        expect(await ids()).toEqual(['a', 'b'])
        expect(await ids()).toEqual([])
        const before = await store.read({ pk: 'p', id: 'a' })
        if (before === null) throw new Error('there is no document a')
        applied(await store.apply('q', [create(note('d', 'other', 'q'))]))
        applied(await store.apply('p', [replacing(before, note('a', 'second'))]))
        const changed = await feed.readNext()
        expect(changed).toMatchObject([{ id: 'a', text: 'second' }])
        expect(await ids()).toEqual([])
        expect(await queries.follow('unused').readNext()).toEqual([])
      })
    })

    describe('`findJob`', () => {
      it('finds a job in any partition', async () => {
        for (const partition of ['p1', 'p2', 'p3', 'p4'])
          await submitted({ jobId: `job-${partition}`, partition })
        expect(await opened.queries.findJob('job-p3')).toMatchObject({ jobId: 'job-p3', pk: 'p3' })
        expect(await opened.queries.findJob('job-p5')).toBeNull()
      })

      it('returns null when the document is not a job', async () => {
        await opened.store.apply('p', [create({ id: 'sas.job:j', pk: 'p', type: 'order' })])
        expect(await opened.queries.findJob('j')).toBeNull()
      })
    })
  })
}
