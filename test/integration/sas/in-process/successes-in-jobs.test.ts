import { beforeEach, describe, expect, it } from 'vitest'
import { settle } from '../../../../src/sas/decisions/settle.js'
import { readJobDetail } from '../../../../src/sas/client/job-detail.js'
import { defineWorkflow } from '../../../../src/sas/index.js'
import { stepDocumentId } from '../../../../src/sas/model/document-ids.js'
import { StoreUnavailable } from '../../../../src/sas/model/errors.js'
import { begunInJob, plannedSteps } from '../../../../src/sas/model/planned/planned-steps.js'
import { replacing } from '../../../../src/sas/store/state-store.js'
import { submittedAtMs } from '../../../support/a-job.js'
import { deferred } from '../../../support/deferred.js'
import { aLine, bank, did, LineScene } from '../../../support/line-scene.js'
import { going, leaseToken } from '../../../support/one-process.js'

let s: LineScene
beforeEach(() => {
  s = new LineScene()
})

const terms = { by: 'ann', why: 'so' } as const
const applied = { kind: 'unknownOutcome', truth: 'applied' } as const
const lost = { kind: 'unknownOutcome', truth: 'lost' } as const
const away = { kind: 'throws', error: new StoreUnavailable('busy', { cause: null }) } as const
const results = { a: did('a'), b: did('b'), c: did('c') }

describe('the success of a first attempt (I47)', () => {
  it('stays in the job, which is the only document that is written', async () => {
    const own = s.process()
    await s.submit(aLine('abc'))
    const before = s.world.faults.writes.length
    await own.run()
    const written = s.world.faults.writes.slice(before).map((w) => w.map(({ document }) => document.id))
    expect(written).toEqual(Array.from({ length: 4 }, () => ['sas.job:job-1']))
    const job = await s.world.job()
    expect([await s.documents(), job.planned?.map(({ id }) => id)]).toEqual([[], ['a', 'b', 'c']])
    expect([job.schema, job.processState, job.outputs]).toEqual([8, 'Processed', results])
    const at = new Date(submittedAtMs).toISOString()
    const done = ['a', 'b', 'c'].map((id) => ({ by: 'one', output: did(id), at }))
    expect(job.planned?.map((plan) => plan.done)).toEqual(done)
    expect(s.calls).toEqual(['one a', 'one b', 'one c'])
    expect(s.world.clock.pendingTimers).toBe(0)
  })

  it('is shown by the view, the result and the steps as that of a document', async () => {
    const own = s.process()
    await s.submit(aLine('abc'))
    await own.run()
    const job = await s.theJob()
    expect((await job.view()).steps).toMatchObject([
      { stepId: 'a', state: 'Processed', output: did('a'), attempt: 1 },
      { stepId: 'b', state: 'Processed', output: did('b'), attempt: 1 },
      { stepId: 'c', state: 'Processed', output: did('c'), attempt: 1 },
    ])
    expect(await job.result()).toEqual(results)
    for (const step of plannedSteps(await s.world.job()).values())
      expect(step).toMatchObject({ _etag: '', lockedBy: null, completeByMs: null, fence: 1 })
  })

  it('gives its output to a later step and to what the workflow returns', async () => {
    const own = s.process()
    const returning = defineWorkflow<object>('returns', (job) => {
      const options = { completeWithin: '30s', undo: 'none' } as const
      const a = job.step('a', bank.act, { step: 'a' }, options)
      const b = job.step('b', bank.act, { step: 'b', of: a.output }, options)
      return { first: a.output, second: b.output }
    })
    s.outputs.set('a', { receipt: [1, 'x'] })
    await s.client.submit(returning, {}, { jobId: 'job-1' })
    await own.run()
    expect(await s.places()).toEqual(['Processed', [], ['a', 'b']])
    expect(s.inputs.get('b')).toEqual({ receipt: [1, 'x'] })
    expect(await (await s.theJob()).result()).toEqual({ first: { receipt: [1, 'x'] }, second: did('b') })
  })

  it('is shown by the view while the next step is at work', async () => {
    const own = s.process()
    s.holds.set('b', deferred())
    await s.submit(aLine('abc'))
    await own.run()
    expect(await s.places()).toEqual(['Processing', [], ['a']])
    expect(begunInJob(await s.world.job()).map(({ stepId }) => stepId)).toEqual(['b'])
    const shown = (await (await s.theJob()).view()).steps.map(({ state }) => state)
    expect(shown).toEqual(['Processed', 'Processing', 'Pending'])
    s.holds.get('b')?.resolve()
    await own.run()
    expect([await s.state(), await s.doneInJob()]).toEqual(['Processed', ['a', 'b', 'c']])
  })

  it('is in a document if it comes at the second try', async () => {
    const own = s.process()
    s.failures.set('b', 1)
    await s.submit(aLine('abc'))
    await own.run(2_000)
    expect(await s.places()).toEqual(['Processed', ['b'], ['a', 'c']])
    expect(await s.world.step('b')).toMatchObject({ attempt: 2, failureCount: 1, output: did('b') })
    expect(s.calls).toEqual(['one a', 'one b', 'one b', 'one c'])
  })

  it('is in a document while more than four steps are left', async () => {
    const own = s.process()
    await s.submit(aLine('abcdefg'))
    await own.run()
    expect(await s.places()).toEqual(['Processed', ['a', 'b'], ['c', 'd', 'e', 'f', 'g']])
    expect(await s.world.step('b')).toMatchObject({ processState: 'Processed', output: did('b') })
  })

  it('is in a document if its output alone has more than 2 KB', async () => {
    const own = s.process()
    s.outputs.set('c', 'x'.repeat(2_100))
    await s.submit(aLine('abc'))
    await own.run()
    expect(await s.places()).toEqual(['Processed', ['c'], ['a', 'b']])
    expect((await (await s.theJob()).result())['c']).toHaveLength(2_100)
  })

  it('is in a document if those of the job would take more than 2 KB together', async () => {
    const own = s.process()
    const options = { completeWithin: '30s', undo: 'none' } as const
    const three = defineWorkflow<object>('three', (job) => {
      const a = job.step('a', bank.act, { step: 'a' }, options)
      const b = job.step('b', bank.act, { step: 'b' }, { ...options, after: [a] })
      job.step('c', bank.act, { step: 'c' }, { ...options, after: [b] })
    })
    for (const id of 'abc') s.outputs.set(id, id.repeat(1_000))
    await s.submit(three)
    await own.run()
    expect(await s.places()).toEqual(['Processed', ['b', 'c'], ['a']])
  })

  it.each([
    ['100 levels', 100, false, ['Processed', [], ['a']]],
    // The input of the undo has the output one level deeper.
    ['100 levels, which its undo gets', 100, true, ['Processed', ['a'], []]],
    // Such an output is refused, and the step fails for good.
    ['101 levels', 101, false, ['Error', ['a'], []]],
  ])('is in the job or in a document with an output of %s', async (_what, levels, undo, expected) => {
    const own = s.process()
    let output: unknown = 1
    for (let level = 0; level < levels; level += 1) output = [output]
    s.outputs.set('a', output)
    await s.submit(aLine('a', { undo }))
    await own.run()
    expect([await s.places(), s.calls]).toEqual([expected, ['one a']])
    const { output: stored } = await s.world.step('a')
    expect(stored).toEqual(levels > 100 ? null : output)
  })

  it('is in a document if its job has secrets, although the step has none', async () => {
    const own = s.process()
    const secret = defineWorkflow<{ readonly card: string }>(
      'secret',
      (job) => {
        const options = { completeWithin: '30s', undo: 'none' } as const
        const a = job.step('a', bank.act, { step: 'a', of: job.input.card }, options)
        job.step('b', bank.act, { step: 'b' }, { ...options, after: [a] })
      },
      { secrets: ['input.card'] },
    )
    await s.client.submit(secret, { card: '4711' }, { jobId: 'job-1' })
    await own.run()
    expect(await s.places()).toEqual(['Processed', ['a', 'b'], []])
  })

  it('expires with its job, which alone gets a time to live (I18)', async () => {
    const own = s.process()
    await s.submit(aLine('abc'), { retainFor: '1h' })
    await own.run()
    expect(await s.places()).toEqual(['Processed', [], ['a', 'b', 'c']])
    expect((await s.world.job()).ttl).toBe(3_600)
    await s.world.clock.advance(3_601_000)
    expect(await s.world.truth.read({ pk: 'job-1', id: 'sas.job:job-1' })).toBeNull()
    expect(await s.documents()).toEqual([])
  })

  it('expires with its job, and with the documents of the other steps (I18)', async () => {
    const own = s.process()
    await s.submit(aLine('abcdefg'), { retainFor: '1h' })
    await own.run()
    const steps = await s.world.truth.listSteps('job-1', 'job-1')
    expect(steps.map(({ stepId, ttl }) => [stepId, ttl])).toEqual([
      ['a', 3_600],
      ['b', 3_600],
    ])
    expect((await s.world.job()).ttl).toBe(3_600)
  })

  it('is forgotten by its agents, so a later job with this id begins at once', async () => {
    const own = s.process()
    await s.submit(aLine('abc'))
    await own.run()
    const job = await s.world.job()
    await s.world.put('job-1', [replacing(job, { ...job, ttl: 1 })])
    await s.world.clock.advance(2_000)
    expect(await s.client.get('job-1')).toBeNull()
    s.calls = []
    for (const id of 'abc') s.outputs.set(id, `new ${id}`)
    await s.submit(aLine('abc'))
    await own.run()
    expect(s.calls).toEqual(['one a', 'one b', 'one c'])
    expect(await s.places()).toEqual(['Processed', [], ['a', 'b', 'c']])
    expect(await (await s.theJob()).result()).toEqual({ a: 'new a', b: 'new b', c: 'new c' })
  })

  it.each([1, 2])('is forgotten by its agents also if the reply is lost %d times', async (times) => {
    const own = s.process()
    s.holds.set('a', deferred())
    await s.submit(aLine('a', { retry: { tries: 1 } }))
    await own.run()
    s.world.faults.failWrites(...Array.from({ length: times }, () => applied))
    s.holds.get('a')?.resolve()
    await own.run(2_000)
    const job = await s.world.job()
    await s.world.put('job-1', [replacing(job, { ...job, ttl: 1 })])
    await s.world.clock.advance(2_000)
    s.calls = []
    await s.submit(aLine('a', { retry: { tries: 1 } }))
    await own.run()
    expect([s.calls, await s.state()]).toEqual([['one a'], 'Processed'])
  })

  it('is a change of the job in the history, and an attempt of its step', async () => {
    for (const retentionMinutes of [60, undefined]) {
      s = new LineScene(retentionMinutes)
      const own = s.process()
      await s.submit(aLine('ab'))
      await own.run()
      const job = await s.theJob()
      for (const step of ['a', 'b'])
        expect((await job.attempts(step)).attempts).toMatchObject([
          { attempt: 1, outcome: 'success', by: 'one', input: { step }, output: did(step), error: null },
        ])
      const { moments, source } = await job.history()
      expect(source).toBe(retentionMinutes === undefined ? 'record' : 'versions')
      if (retentionMinutes === undefined) continue
      const changes = moments.flatMap((moment) => moment.changes)
      expect(new Set(changes.map(({ document }) => document))).toEqual(new Set(['sas.job:job-1']))
      const told = changes.flatMap(({ what }) => what).filter((what) => what.includes('attempt 1 succeeded'))
      expect(told).toEqual(['a: attempt 1 succeeded', 'b: attempt 1 succeeded'])
    }
  })
})

describe('the history and the cost of a step whose success was only in its job (I47)', () => {
  const told = async (): Promise<string[]> => {
    const { moments } = await (await s.theJob()).history()
    return moments.flatMap(({ by, changes }) =>
      changes.flatMap(({ stepId, what }) => what.map((text) => `${by} ${stepId}: ${text}`)),
    )
  }

  beforeEach(() => {
    s = new LineScene(60)
    s.refused.add('b')
  })

  it('tell the success once, and not again when a migration writes the document', async () => {
    const own = s.process()
    await s.submit(aLine('ab'))
    await own.run()
    await s.client.migrate('job-1', aLine('ab', { version: 2, retry: { tries: 5 } }), terms)
    const words = await told()
    expect(words.filter((text) => text.includes('attempt 1 succeeded'))).toHaveLength(1)
    expect(words).toContain('ann a: its document was written')
  })

  it('tell the dispatch of an attempt that is under way once, also if a migration writes the document', async () => {
    const own = s.process()
    s.holds.set('a', deferred())
    await s.submit(aLine('ab'))
    await own.run()
    await s.client.migrate('job-1', aLine('ab', { version: 2, retry: { tries: 5 } }), terms)
    const words = await told()
    expect(words.filter((text) => text.includes('attempt 1 dispatched'))).toHaveLength(1)
    expect(words).toContain('ann a: its document was written')
    s.holds.get('a')?.resolve()
    await own.run()
  })

  it('tell the state from which its undo begins', async () => {
    const own = s.process()
    await s.submit(aLine('ab', { undo: true, undoUncertain: false }))
    await own.run()
    await s.client.cancel('job-1', 'so')
    await own.run(2_000)
    const states = (await told()).filter((text) => text.includes('a: state'))
    expect(states).toEqual([
      'one a: state Processed → Compensating',
      'one a: state Compensating → Compensated',
    ])
  })

  it('count no writes of a document that does not exist', async () => {
    const own = s.process()
    await s.submit(aLine('ab'))
    await own.run()
    const place = { pk: 'job-1', id: 'sas.job:job-1', jobId: 'job-1' }
    const { steps } = await readJobDetail(s.world, place)
    expect(steps.map(({ stepId, cost }) => [stepId, cost.writes, cost.charge > 0])).toEqual([
      ['a', 0, false],
      ['b', 2, true],
    ])
  })
})

const undoOf = (step: string) => ({
  input: { step, of: did(step) },
  key: `job-1/${step}/g1/undo`,
  undoes: `job-1/${step}/g1/do`,
})

describe('a step whose success is only in its job (I47)', () => {
  it.each([null, 'applied', 'lost'] as const)(
    'gets its document when a cancellation undoes it, once and in order (reply %s)',
    async (truth) => {
      const own = s.process()
      s.refused.add('c')
      await s.submit(aLine('abc', { undo: true }))
      await own.run()
      expect(await s.places()).toEqual(['Error', ['c'], ['a', 'b']])
      await s.client.cancel('job-1', 'not wanted')
      if (truth !== null) s.world.faults.failWrites({ kind: 'unknownOutcome', truth })
      await own.run(2_000)
      expect(s.undone.slice(-2)).toEqual([undoOf('b'), undoOf('a')])
      expect(s.undone.filter(({ key }) => key !== 'job-1/c/g1/undo')).toHaveLength(2)
      const job = await s.world.job()
      expect([job.processState, job.schema, job.planned]).toEqual(['Compensated', 8, undefined])
      expect(await s.world.step('a')).toMatchObject({ processState: 'Compensated', direction: 'undo' })
      expect((await s.world.step('a'))._etag).not.toBe('')
    },
  )

  it('gets its document in the transaction that dispatches its undo, as it was after the success', async () => {
    const own = s.process()
    s.refused.add('b')
    await s.submit(aLine('ab', { undo: true, job: 'compensate', undoUncertain: false }))
    await own.run()
    expect([await s.state(), s.undone]).toEqual(['Compensated', [undoOf('a')]])
    const created = s.world.faults.writes.filter((writes) =>
      writes.some(({ kind, document }) => kind === 'create' && document.id === stepDocumentId('job-1', 'a')),
    )
    expect(created).toHaveLength(1)
    const [job, step] = ['sas.job:job-1', stepDocumentId('job-1', 'a')].map(
      (id) => created[0]?.find(({ document }) => document.id === id)?.document,
    )
    expect((job?.['planned'] as { id: string }[] | undefined)?.map(({ id }) => id) ?? []).not.toContain('a')
    expect(step).toMatchObject({ direction: 'undo', output: did('a'), mayHaveActed: true, fence: 2 })
  })

  it('is undone and done again if its job begins again', async () => {
    const own = s.process()
    s.refused.add('b')
    await s.submit(aLine('ab', { undo: true, job: 'compensateThenRetry', undoUncertain: false }))
    s.holds.set('b', deferred())
    await own.run()
    expect(await s.doneInJob()).toEqual(['a'])
    s.holds.get('b')?.resolve()
    await own.run(2_000)
    expect([await s.state(), s.undone]).toEqual(['Processed', [undoOf('a')]])
    expect(s.calls).toEqual(['one a', 'one b', 'one a', 'one b'])
    expect(await s.world.step('a')).toMatchObject({ generation: 2, idempotencyKey: 'job-1/a/g2/do' })
  })

  it.each([
    ['was applied', [applied], true],
    ['was lost', [lost], true],
    ['was applied, as its repetition', [applied, applied], true],
    // The agents then write the outcome alone.
    ['was lost, as its repetition', [lost, lost], false],
    ['was applied, and the store is then away', [applied, away], true],
  ] as const)(
    'has one call if the write of its success has no answer and %s (F-A5)',
    async (_what, faults, isInJob) => {
      for (const step of ['a', 'c']) {
        s = new LineScene()
        const own = s.process()
        s.holds.set(step, deferred())
        await s.submit(aLine('abc'))
        await own.run()
        const before = s.world.faults.writes.length
        s.world.faults.failWrites(...faults)
        s.holds.get(step)?.resolve()
        await own.run(2_000)
        const [first = []] = s.world.faults.writes.slice(before)
        expect(first.map(({ document }) => document.id)).toEqual(['sas.job:job-1'])
        expect([await s.state(), s.calls]).toEqual(['Processed', ['one a', 'one b', 'one c']])
        expect((await s.doneInJob()).includes(step)).toBe(isInJob)
        expect(await (await s.theJob()).result()).toEqual(results)
        expect((await s.world.step(step)).failureCount).toBe(0)
        expect(s.world.clock.pendingTimers).toBe(0)
      }
    },
  )

  it.each(['with its scheduler', 'alone'])(
    'keeps its success if its agents then write another outcome %s (I2)',
    async (how) => {
      const own = s.process()
      s.holds.set('a', deferred())
      await s.submit(aLine('abc'))
      await own.run()
      s.outputs.set('a', 'second')
      const settled = await own.scheduler.settleAndSchedule(
        {
          step: await s.world.step('a'),
          decide: (current) => {
            const attempt = { number: 1, fence: 1, by: 'another' }
            const outcome = { kind: 'success', output: 'first' } as const
            const how = { now: s.world.clock.now(), random: s.world.random }
            const settlement = settle(current, attempt, outcome, how)
            return { write: settlement.kind === 'write' ? settlement.step : null, result: null }
          },
        },
        leaseToken,
      )
      settled?.followUp()
      expect(await s.doneInJob()).toContain('a')
      if (how === 'alone') await own.lose()
      s.holds.get('a')?.resolve()
      await s.world.clock.advance(100)
      expect((await s.world.step('a')).output).toBe('first')
      expect(s.world.telemetry.of('outcome.discarded')).toHaveLength(1)
      await s.consistent()
      await (how === 'alone' ? s.process('two') : own).run(2_000)
      expect(await (await s.theJob()).result()).toMatchObject({ a: 'first' })
      expect(s.calls.filter((call) => call.endsWith(' a'))).toEqual(['one a'])
    },
  )

  it('keeps the first outcome if two processes make the same attempt (I2)', async () => {
    const [one, two] = [s.process('one'), s.process('two')]
    for (const name of ['one a', 'two a']) s.holds.set(name, deferred())
    await s.submit(aLine('abc'))
    await one.run()
    expect(begunInJob(await s.world.job())).toHaveLength(1)
    two.agents.startNow(await s.world.step('a'), leaseToken)
    await s.world.clock.advance(100)
    expect([s.calls, await s.documents()]).toEqual([['one a', 'two a'], ['a']])
    s.outputs.set('one a', 'of one').set('two a', 'of two')
    for (const name of ['two a', 'one a']) {
      s.holds.get(name)?.resolve()
      await s.world.clock.advance(100)
    }
    await one.run(2_000)
    const output = 'of two'
    expect([await s.state(), s.inputs.get('b')]).toEqual(['Processed', output])
    expect(await s.world.step('a')).toMatchObject({ output })
    expect(s.world.telemetry.of('outcome.discarded')).toHaveLength(1)
    expect(s.calls).toHaveLength(4)
  })

  it('is not replaced by a process that has read its attempt before (I2)', async () => {
    const [one, two] = [s.process('one'), s.process('two')]
    s.holds.set('one a', deferred())
    await s.submit(aLine('abc'))
    await one.run()
    const begun = await s.world.step('a')
    s.outputs.set('one a', 'of one').set('two a', 'of two')
    s.holds.get('one a')?.resolve()
    await one.run()
    expect(two.agents.startNow(begun, leaseToken)).toBe(true)
    await s.world.clock.advance(100)
    expect(s.calls).toEqual(['one a', 'one b', 'one c'])
    expect([await s.doneInJob(), await s.documents()]).toEqual([['a', 'b', 'c'], []])
    expect((await (await s.theJob()).result())['a']).toBe('of one')
  })

  it('is not called again by another process after its own died, which goes on with its output', async () => {
    const one = s.process('one')
    s.holds.set('b', deferred())
    await s.submit(aLine('abc'))
    await one.run()
    expect([await s.doneInJob(), s.calls]).toEqual([['a'], ['one a', 'one b']])
    s.holds.delete('b')
    const two = s.process('two', { hasEnded: (id) => id === 'one' })
    await two.scheduler.onChanges(
      [(await s.world.truth.read({ pk: 'job-1', id: 'sas.job:job-1' })) as never],
      going,
    )
    await two.run(2_000)
    expect([await s.state(), s.calls]).toEqual(['Processed', ['one a', 'one b', 'two b', 'two c']])
    expect([await s.doneInJob(), await s.documents()]).toEqual([['a', 'c'], ['b']])
    expect([s.inputs.get('b'), s.inputs.get('c')]).toEqual([did('a'), did('b')])
  })

  it('is not called again by roles of other processes, after its own has lost its range', async () => {
    const one = s.process('one')
    s.holds.set('a', deferred())
    await s.submit(aLine('abc', { undo: true }))
    await one.run()
    await s.client.pause('job-1', 'so')
    await one.run()
    s.holds.get('a')?.resolve()
    await one.run()
    expect([await s.doneInJob(), await s.documents()]).toEqual([['a'], []])
    await one.lose()
    await s.client.resume('job-1')
    s.refused.add('c')
    const [scheduler, agents] = [s.world.scheduler('next'), s.world.agents({ agents: [s.bankOf('next')] })]
    for (let page = await s.world.changes(); page.length > 0; page = await s.world.changes()) {
      await scheduler.onChanges(page)
      await agents.onChanges(page, { signal: going.signal })
      await agents.stop(1_000)
      if ((await s.state()) === 'Error' && s.undone.length === 0) await s.client.cancel('job-1', 'so')
    }
    expect([await s.state(), s.calls]).toEqual(['Compensated', ['one a', 'next b', 'next c']])
    expect(s.undone.filter(({ undoes }) => undoes === 'job-1/a/g1/do')).toEqual([undoOf('a')])
    await s.consistent()
  })

  it('is not called again after a resubmission of a later step', async () => {
    const own = s.process()
    s.refused.add('b')
    await s.submit(aLine('abc'))
    await own.run()
    expect([await s.state(), await s.doneInJob()]).toEqual(['Error', ['a']])
    s.refused.clear()
    await s.client.resubmit('job-1', { ...terms, step: 'b' })
    await own.run(2_000)
    expect([await s.state(), s.calls]).toEqual(['Processed', ['one a', 'one b', 'one b', 'one c']])
    expect([await s.doneInJob(), s.inputs.get('b')]).toEqual([['a', 'c'], did('a')])
    expect(await (await s.theJob()).result()).toEqual(results)
  })

  it('is carried over by a restart from a later step, and undone under the key that services know (I34)', async () => {
    const own = s.process()
    s.refused.add('b')
    await s.submit(aLine('ab', { undo: true, undoUncertain: false }))
    await own.run()
    expect([await s.state(), await s.doneInJob()]).toEqual(['Error', ['a']])
    const report = await s.client.restart('job-1', { ...terms, from: 'b', after: 'keep' })
    expect(report).toMatchObject({ jobId: 'job-1.r1', carried: ['a'], again: ['b'] })
    await own.run(2_000)
    expect(s.calls).toEqual(['one a', 'one b', 'one b'])
    expect(s.inputs.get('b')).toEqual(did('a'))
    await s.client.cancel('job-1.r1', 'not wanted', { partitionKey: 'job-1' })
    await own.run(2_000)
    expect((await s.world.job('job-1.r1', 'job-1')).processState).toBe('Compensated')
    expect(s.undone.filter(({ key }) => key.includes('/a/'))).toEqual([undoOf('a')])
  })

  it('gets its document in a migration, with the version with which it began (I39)', async () => {
    const own = s.process()
    s.holds.set('b', deferred())
    await s.submit(aLine('abc'))
    await own.run()
    const before = await s.world.step('a')
    await s.client.migrate('job-1', aLine('abc', { version: 2, retry: { tries: 5 } }), terms)
    const [job, after] = [await s.world.job(), await s.world.step('a')]
    expect(await s.documents()).toEqual(['a', 'b', 'c'])
    expect([job.planned, job.schema, job.workflowVersion]).toEqual([undefined, 8, 2])
    expect(after._etag).not.toBe('')
    const ofStore = { _etag: 0, _ts: 0, _rid: 0, _self: 0, _attachments: 0 }
    expect({ ...after, ...ofStore }).toEqual({ ...before, ...ofStore })
    expect(after).toMatchObject({ workflowVersion: 1, maxFailures: 3, processState: 'Processed' })
    s.holds.get('b')?.resolve()
    await own.run(2_000)
    expect([await s.state(), s.calls]).toEqual(['Processed', ['one a', 'one b', 'one c']])
    expect(await (await s.theJob()).result()).toEqual(results)
  })
})
