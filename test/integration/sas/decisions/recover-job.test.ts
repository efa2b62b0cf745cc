import { beforeEach, describe, expect, it } from 'vitest'
import type { JobDocument } from '../../../../src/sas/model/documents.js'
import { pickUpWithinMs, recoverJob } from '../../../../src/sas/decisions/recover-job.js'
import { replacing } from '../../../../src/sas/store/state-store.js'
import { submittedAtMs } from '../../../support/a-job.js'
import { graceMs, JobStory, success } from '../../../support/job-story.js'
import { StateWorld } from '../../../support/state-world.js'
import { wholeRange } from '../../../support/waiting-agents.js'

const submitted = JobStory.submitted({ a: [], b: ['a'] }, { completeWithin: '30s' })
const running = submitted.scheduled()

function recovering(job: JobDocument, now: number) {
  return recoverJob(job, { now, graceMs, supervisor: 'supervisor-1' })
}

describe('a job that no scheduler has taken up', () => {
  const dueMs = submittedAtMs + pickUpWithinMs + graceMs

  it('is offered again and flagged, and counts no failure (C8, F-V14)', () => {
    expect(recovering(submitted.job, dueMs - 1)).toEqual({ kind: 'wait', untilMs: dueMs })
    expect(recovering(submitted.job, dueMs)).toMatchObject({
      kind: 'unclaimed',
      job: {
        processState: 'Pending',
        failureCount: 0,
        fence: 1,
        completeByMs: dueMs + pickUpWithinMs,
        attention: { kind: 'unclaimed', since: new Date(dueMs).toISOString(), stepId: null },
      },
    })
  })

  it('keeps the time of its first flag until a scheduler takes it up', () => {
    const first = recovering(submitted.job, dueMs)
    if (first.kind !== 'unclaimed') throw new Error(first.kind)
    const second = recovering(first.job, dueMs + pickUpWithinMs + graceMs)
    if (second.kind !== 'unclaimed') throw new Error(second.kind)
    expect(second.job.attention?.since).toBe(first.job.attention?.since)
    expect(submitted.withJob(second.job).scheduled().job).toMatchObject({
      processState: 'Processing',
      attention: null,
    })
  })
})

describe('a job that is never taken up', () => {
  it('is offered for growing periods up to an hour, and raises attention only once', () => {
    let { job } = submitted
    const [offersMs, isNew]: [number[], boolean[]] = [[], []]
    for (let times = 0; times < 10; times += 1) {
      const now = (job.completeByMs ?? submittedAtMs + pickUpWithinMs) + graceMs
      const recovery = recovering(job, now)
      if (recovery.kind !== 'unclaimed') throw new Error(recovery.kind)
      job = recovery.job
      offersMs.push((job.completeByMs ?? 0) - now)
      isNew.push(recovery.isNew)
    }
    expect(offersMs.slice(0, 4)).toEqual([60_000, 62_000, 126_000, 254_000])
    expect(offersMs.slice(-2)).toEqual([3_600_000, 3_600_000])
    expect(isNew).toEqual([true, ...Array.from({ length: 9 }, () => false)])
  })
})

describe('a job that stands still', () => {
  const dueMs = submittedAtMs + 30_000 + pickUpWithinMs + graceMs
  const done = running.settled('a', success)

  it('is given to any scheduler, which updates the ledger and continues (R98, F-V23, F-D3, F-Q11)', () => {
    const recovery = recovering(done.job, dueMs)
    if (recovery.kind !== 'standing') throw new Error(recovery.kind)
    expect(recovery.job).toMatchObject({ processState: 'Pending', lockedBy: null, attention: null })
    expect(recovery.job.completeByMs).toBe(dueMs + pickUpWithinMs)
    const freed = done.withJob(recovery.job)
    expect(freed.deciding([])).toEqual({ kind: 'read', stepIds: ['a'] })
    expect(freed.scheduled('scheduler-2').job).toMatchObject({
      lockedBy: 'scheduler-2',
      steps: { a: { state: 'Processed' }, b: { state: 'Processing' } },
    })
  })

  it('ends when all its steps have ended (R26, F-D8)', () => {
    const last = done.scheduled().settled('b', success)
    const recovery = recovering(last.job, dueMs)
    if (recovery.kind !== 'standing') throw new Error(recovery.kind)
    expect(last.withJob(recovery.job).scheduled('scheduler-2').job.processState).toBe('Processed')
  })

  it('is left alone before its steps can be recovered, after its end, and while it is parked', () => {
    expect(recovering(running.job, dueMs - 1)).toEqual({ kind: 'wait', untilMs: dueMs })
    const ended = done.scheduled().concluded('b')
    expect(recovering(ended.job, dueMs * 2)).toEqual({ kind: 'nothing' })
    expect(recovering({ ...running.job, completeByMs: null }, dueMs)).toEqual({ kind: 'nothing' })
  })
})

describe('a job with its own deadline', () => {
  const limited = (options = {}) => {
    const story = JobStory.submitted({ a: [], b: [] }, { completeWithin: '30s', ...options })
    return story.withJob({ ...story.job, completeWithinMs: 10_000 }).scheduled()
  }

  it('counts the time from the moment it is taken up, and no attempt outlasts it (F-Q13, R18)', () => {
    const { job, ...story } = limited()
    expect(job).toMatchObject({ endByMs: submittedAtMs + 10_000, completeByMs: submittedAtMs + 10_000 })
    expect(story.steps.get('a')?.completeByMs).toBe(submittedAtMs + 10_000)
    const dueMs = submittedAtMs + 10_000 + graceMs
    expect(recovering(job, dueMs - 1)).toEqual({ kind: 'wait', untilMs: dueMs })
    expect(recovering(job, dueMs).kind).toBe('standing')
  })

  it('ends in Error when the deadline has passed, and no later outcome counts (R63)', () => {
    const late = limited().settled('a', success).later(10_000).scheduled()
    expect(late.job).toMatchObject({
      processState: 'Error',
      attention: { message: 'the job was not done within 10000 ms' },
      steps: { a: { state: 'Processed' }, b: { state: 'NotStarted' } },
    })
    expect(late.step('b').fence).toBe(2)
    expect(() => late.later(-10_000).settled('b', success)).toThrow('discarded')
  })

  it('is compensated instead if its workflow says so, however long that takes', () => {
    const options = { undo: true, onExhausted: 'compensate', undoUncertain: false } as const
    const late = limited(options).settled('a', success).later(10_000).scheduled()
    expect(late.job).toMatchObject({
      processState: 'Compensating',
      compensation: { reason: 'the job was not done within 10000 ms' },
    })
    expect(late.step('a').completeByMs).toBe(late.now + 30_000)
    expect(late.concluded('a').job.processState).toBe('Compensated')
  })

  it('is Processed if every step was done in time, even if the scheduler sees that later', () => {
    const done = limited().settled('a', success).settled('b', success).later(20_000).scheduled()
    expect(done.job.processState).toBe('Processed')
  })
})

describe('a submission in stages that is never completed (F-S8)', () => {
  const staged = { ...submitted.job, desiredState: submitted.job.initialState }
  const dueMs = submittedAtMs + 3_600_000 + graceMs

  it('is abandoned after an hour, so that its submitter can write no more of it', () => {
    expect(recovering(staged, dueMs - 1)).toEqual({ kind: 'wait', untilMs: dueMs })
    expect(recovering(staged, dueMs)).toEqual({
      kind: 'abandoned',
      job: {
        ...staged,
        fence: staged.fence + 1,
        endedAt: new Date(dueMs).toISOString(),
        endedAtMs: dueMs,
      },
    })
  })

  it('is left alone once it expires', () => {
    expect(recovering({ ...staged, ttl: 60 }, dueMs)).toEqual({ kind: 'nothing' })
  })
})

describe('a supervisor', () => {
  let world: StateWorld
  beforeEach(() => {
    world = new StateWorld()
  })

  it('flags a job that no scheduler takes up, until a scheduler does (F-S17, F-Q1)', async () => {
    await world.submitted()
    const supervisor = world.supervisor()
    supervisor.start()
    supervisor.onChanges(await world.changes(), '0')
    await world.clock.advance(pickUpWithinMs + graceMs)
    expect(await world.job()).toMatchObject({ attention: { kind: 'unclaimed' }, failureCount: 0 })
    expect(world.telemetry.of('attention.raised')).toMatchObject([{ kind: 'unclaimed', stepId: null }])
    await world.scheduler().onChanges(await world.changes())
    expect(await world.job()).toMatchObject({ processState: 'Processing', attention: null })
    await supervisor.stop()
  })

  it('finds a job that stands still by its sweep, although its changes were read before (R98)', async () => {
    await world.dispatched()
    const step = await world.step()
    const done = { currentState: 'Completed', processState: 'Processed' as const, lockedBy: null }
    await world.put('job-1', [replacing(step, { ...step, ...done, completeBy: null, completeByMs: null })])
    await world.changes()
    await world.clock.advance(300_000)
    const supervisor = world.supervisor()
    supervisor.start()
    supervisor.onLeaseAcquired('0', wholeRange)
    await world.clock.advance(graceMs)
    expect(world.telemetry.of('job.recovered')).toMatchObject([{ wasHeld: true }])
    await world.scheduler('scheduler-2').onChanges(await world.changes())
    expect(await world.job()).toMatchObject({ processState: 'Processed' })
    await supervisor.stop()
  })
})
