import { beforeEach, describe, expect, it } from 'vitest'
import { schemaVersion, type StepDocument } from '../../src/sas/model/documents.js'
import { deadline, withDerivedState } from '../../src/sas/model/process-state.js'
import { schedule } from '../../src/sas/decisions/schedule.js'
import {
  replacing,
  type StateDocument,
  type StateWrite,
  type Stored,
} from '../../src/sas/store/state-store.js'
import { submit, type SubmitRequest } from '../../src/sas/submission/submit.js'
import { aSubmission, aWorkflow, documentsOf, theStep } from '../support/a-job.js'
import { applied, create, note, submittedTo, type OpenedState } from './opened-state.js'

/** The tests that every implementation of the `StateStore` port passes. */
export function stateStoreSuite(name: string, open: () => Promise<OpenedState>): void {
  describe(`a state store ${name}`, () => {
    let opened: OpenedState
    beforeEach(async () => {
      opened = await open()
    })

    async function read(id: string, pk = 'p'): Promise<Stored<StateDocument>> {
      const document = await opened.store.read({ pk, id })
      if (document === null) throw new Error(`there is no document ${id}`)
      return document
    }

    const submitted = (overrides: Partial<SubmitRequest> = {}) => submittedTo(opened.store, overrides)

    describe('reads of several documents', () => {
      it('return them in the order of their addresses, from all partitions, and null for a missing one', async () => {
        const { store } = opened
        const partitions = Array.from({ length: 8 }, (_, index) => `p${index}`)
        for (const pk of partitions) await store.apply(pk, [create(note('same', `of ${pk}`, pk))])
        const addresses = partitions.flatMap((pk) => [
          { pk, id: 'same' },
          { pk, id: 'none' },
        ])
        const found = await store.readMany(addresses)
        expect(found.map((document) => document?.['text'])).toEqual(
          partitions.flatMap((pk) => [`of ${pk}`, undefined]),
        )
        expect(found[0]).toEqual(await read('same', 'p0'))
      })
    })

    describe('many writes of single documents at the same time', () => {
      it('are each applied or refused for themselves', async () => {
        const { store } = opened
        const ids = Array.from({ length: 150 }, (_, index) => `n${index}`)
        const etags = new Map<string, string>()
        for (const id of ids) {
          const [etag = ''] = applied(await store.apply(id, [create(note(id, 'first', id))])).etags
          etags.set(id, etag)
        }
        const ifMatchOf = (id: string, index: number) => (index % 3 === 1 ? '"stale"' : (etags.get(id) ?? ''))
        const idOf = (id: string, index: number) => (index % 3 === 2 ? `${id}-missing` : id)
        const replacing = ids.map((id, index) => {
          const document = note(idOf(id, index), 'second', id)
          return store.apply(id, [{ kind: 'replace', document, ifMatch: ifMatchOf(id, index) }])
        })
        const results = await Promise.all(replacing)
        for (const [index, id] of ids.entries()) {
          const result = results[index]
          const found = await store.read({ pk: id, id })
          if (index % 3 === 0)
            expect([result, found]).toMatchObject([{ etags: [found?._etag] }, { text: 'second' }])
          else
            expect([result, found]).toMatchObject([
              { kind: 'conflict', reason: index % 3 === 1 ? 'changed' : 'missing' },
              { text: 'first' },
            ])
        }
      })
    })

    describe('a group of writes', () => {
      it('is applied as a whole, and each document can be read back', async () => {
        const { store } = opened
        const result = applied(await store.apply('p', [create(note('a')), create(note('b'))]))
        expect(await store.read({ pk: 'p', id: 'a' })).toMatchObject({ id: 'a', pk: 'p', text: 'first' })
        expect((await read('b'))._etag).toBe(result.etags[1])
        expect(result.etags).toHaveLength(2)
      })

      it('is not applied at all when one of its writes conflicts (R44, F-X5)', async () => {
        const { store } = opened
        await store.apply('p', [create(note('b'))])
        const result = await store.apply('p', [create(note('a')), create(note('b')), create(note('c'))])
        expect(result).toEqual({ kind: 'conflict', id: 'b', reason: 'exists' })
        expect(await store.read({ pk: 'p', id: 'a' })).toBeNull()
        expect(await store.read({ pk: 'p', id: 'c' })).toBeNull()
      })

      it('may hold the hundred documents of a submission', async () => {
        const shape = Object.fromEntries(Array.from({ length: 98 }, (_, index) => [`s${index}`, []]))
        const alongside = [note('order', 'first', 'job-1')]
        await submitted({ plan: aWorkflow(shape).plan, alongside })
        expect(await opened.store.listSteps('job-1', 'job-1')).toHaveLength(98)
      })

      it('is refused when it is empty', async () => {
        await expect(opened.store.apply('p', [])).rejects.toThrow('1 to 100')
      })

      it('reports its charge and the physical partition that stores it', async () => {
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
    ] as const)('a write made %s', (_how, group) => {
      it('is refused when the document has changed', async () => {
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

      it('is refused when the document is missing', async () => {
        const { store } = opened
        const write: StateWrite = { kind: 'replace', document: note('a'), ifMatch: '"1"' }
        expect(await store.apply('p', group(write))).toEqual({ kind: 'conflict', id: 'a', reason: 'missing' })
      })

      it('is refused when the document exists already', async () => {
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
      it('that a write returns are the condition of the next write, without a read', async () => {
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

    describe('a group with a document that does not match its schema', () => {
      it('is refused as a whole, with the names of document and field (I1, I20)', async () => {
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

      it('is accepted when the document has a newer schema or a foreign type', async () => {
        applied(
          await opened.store.apply('p', [
            create({ id: 'a', pk: 'p', type: 'sas.job', schema: schemaVersion + 1 }),
          ]),
        )
        applied(await opened.store.apply('p', [create({ id: 'b', pk: 'p', type: 'invoice' })]))
      })
    })

    describe('`listUnreadable`', () => {
      it('returns the records of unreadable documents, up to the limit', async () => {
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

    describe('`read`', () => {
      it('returns null when the partition does not hold the document', async () => {
        const { store } = opened
        await store.apply('p', [create(note('a'))])
        expect(await store.read({ pk: 'p', id: 'b' })).toBeNull()
        expect(await store.read({ pk: 'elsewhere', id: 'a' })).toBeNull()
      })

      it('returns the system fields of the store, which are not written back', async () => {
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

      it('returns every kind of JSON value as it was written (F-X11)', async () => {
        const value = { list: [1, null, { deep: true }], text: '🛒 „ß“', $from: ['x'], number: -1.5e-7 }
        await opened.store.apply('p', [create({ ...note('a'), value })])
        expect((await read('a'))['value']).toEqual(value)
      })

      it.each(['a/b\\c?d#e', '100 %', '~', 'böse 🛒', 'it\'s "quoted"', 'a:b', '..', 'x'.repeat(200)])(
        'returns the documents of job %j by their ids (F-X11)',
        async (jobId) => {
          const { job, steps } = await submitted({ jobId, partition: jobId })
          const { store } = opened
          expect(await store.read({ pk: jobId, id: job.id })).toMatchObject({ jobId })
          expect((await opened.queries.findJob(jobId))?.['jobId']).toBe(jobId)
          expect(await store.listSteps(jobId, jobId)).toHaveLength(2)
          const step = await store.read({ pk: jobId, id: theStep(steps, 'pay').id })
          if (step === null) throw new Error('there is no step')
          applied(await store.apply(jobId, [replacing(step, { ...step, note: 'mine' })]))
        },
      )
    })

    describe('`listOverdue`', () => {
      const pickUpWithinMs = 60_000

      async function due(jobId: string, completeByMs: number | null): Promise<void> {
        const { job, steps } = documentsOf(
          submit(aSubmission(aWorkflow({ pay: [] }).plan, { jobId, partition: jobId })),
        )
        const step = { ...theStep(steps, 'pay'), ...deadline(completeByMs) }
        const ended = withDerivedState({ ...job, currentState: job.targetState })
        applied(await opened.store.apply(jobId, [create(ended), create(step)]))
      }

      it('returns the steps of all partitions whose deadline is before the given time', async () => {
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

      it('returns jobs that stand still and jobs that no scheduler has taken up (R26, R98)', async () => {
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
        // Schedulers have some time to take up a job that was just submitted.
        const pickedUpBy = 5 + pickUpWithinMs
        expect(await dueBefore(pickedUpBy)).not.toContainEqual(['fresh', pickedUpBy])
        expect(await dueBefore(pickedUpBy + 1)).toContainEqual(['fresh', pickedUpBy])
      })

      it('returns the earliest first, up to the limit (F-V10)', async () => {
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

      it('returns steps and jobs that are due at the same time on the same page', async () => {
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

      it('leaves out a step that newer code wrote (F-C10)', async () => {
        await due('a', 1)
        const [step] = await opened.store.listSteps('a', 'a')
        if (step === undefined) throw new Error('the step was just written')
        applied(await opened.store.apply('a', [replacing(step, { ...step, schema: 99 })]))
        expect(await opened.store.listOverdue({ afterMs: 0, beforeMs: 30, pickUpWithinMs }, 9)).toEqual([])
      })
    })

    describe('`listFlagged`', () => {
      it('returns each flagged job once, in pages that keep equal times together (I15, F-V18)', async () => {
        const flag = async (jobId: string, since: string): Promise<void> => {
          const { job } = await submitted({ jobId, partition: jobId })
          const stored = await read(job.id, jobId)
          const attention = { kind: 'unclaimed' as const, since, by: 's', message: 'm', stepId: 'pay' }
          applied(await opened.store.apply(jobId, [replacing(stored, { ...stored, attention })]))
        }
        await submitted({ jobId: 'two', partition: 'two' })
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
    })

    describe('notices', () => {
      it('are listed by job and by due time until they are sent or given up (I13)', async () => {
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

    describe('`listSteps`', () => {
      it('returns only the steps of the job, with the etags that a write needs', async () => {
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
