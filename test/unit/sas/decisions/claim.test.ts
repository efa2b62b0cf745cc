import { describe, expect, it } from 'vitest'
import { claim, joinAttempt, mayHaveActed } from '../../../../src/sas/decisions/claim.js'
import { JobStory, success } from '../../../support/job-story.js'

const options = { claim: true, completeWithin: '1m', retry: { tries: 1 } } as const
const dispatched = JobStory.submitted({ pay: [] }, options).scheduled()

function claimed(story: JobStory, token = 'a', by = 'agents-1'): JobStory {
  const step = story.step('pay')
  const claiming = claim(step, { fence: step.fence, by, token }, story.now)
  if (claiming.kind !== 'write') throw new Error(`the claim was ${claiming.kind}`)
  return story.withStep(claiming.step)
}

describe('a claim (W2)', () => {
  it('goes to the first of two instances with the same attempt (F-A6)', () => {
    const story = claimed(dispatched)
    const step = story.step('pay')
    expect(step.claim).toMatchObject({ by: 'agents-1', token: 'a', fence: step.fence })
    expect(step.fence).toBe(dispatched.step('pay').fence)
    const rival = { fence: step.fence, by: 'agents-2', token: 'b' }
    expect(claim(step, rival, story.now)).toEqual({ kind: 'refused' })
  })

  it('is still held when its reply was lost, but not when the instance restarted since', () => {
    const { fence } = dispatched.step('pay')
    const story = claimed(dispatched)
    const again = (token: string) => claim(story.step('pay'), { fence, by: 'agents-1', token }, story.now)
    expect(again('a')).toEqual({ kind: 'held' })
    expect(again('b')).toEqual({ kind: 'refused' })
  })

  it('of a process that has ended is replaced, and the step may have acted (F-A31)', () => {
    const first = dispatched.step('pay')
    const taken = { fence: first.fence, by: 'agents-1', token: 'a', process: 'here.1.2' }
    const claiming = claim(first, taken, dispatched.now)
    if (claiming.kind !== 'write') throw new Error(claiming.kind)
    const { step } = claiming
    expect(step).toMatchObject({ mayHaveActed: false, claim: { process: 'here.1.2' } })
    const heir = { fence: first.fence, by: 'agents-1', token: 'b' }
    const refused = { kind: 'refused' }
    expect(claim(step, heir, dispatched.now)).toEqual(refused)
    expect(claim(step, heir, dispatched.now, 'here.1.3')).toEqual(refused)
    expect(claim({ ...step, fence: step.fence + 1 }, heir, dispatched.now, 'here.1.2')).toEqual(refused)
    expect(claim(step, heir, step.completeByMs ?? 0, 'here.1.2')).toEqual(refused)
    expect(claim(step, heir, dispatched.now, 'here.1.2')).toMatchObject({
      kind: 'write',
      step: { mayHaveActed: true, claim: { token: 'b', fence: first.fence }, fence: first.fence },
    })
    const undoing = { ...step, direction: 'undo' as const }
    expect(claim(undoing, heir, dispatched.now, 'here.1.2')).toMatchObject({ step: { mayHaveActed: false } })
  })

  it('is refused for another attempt, after the deadline, and where none is required (I3)', () => {
    const step = dispatched.step('pay')
    const claimant = { fence: step.fence, by: 'agents-1', token: 'a' }
    expect(claim(step, { ...claimant, fence: step.fence - 1 }, dispatched.now).kind).toBe('refused')
    expect(claim(step, claimant, step.completeByMs ?? 0).kind).toBe('refused')
    expect(claim({ ...step, isClaimRequired: false }, claimant, dispatched.now).kind).toBe('refused')
  })

  it('keeps the deadline of the dispatch, even if the clock of the claimant is behind', () => {
    const { completeByMs } = dispatched.step('pay')
    expect(claimed(dispatched.later(-5_000)).step('pay').completeByMs).toBe(completeByMs)
  })

  it('is needed again for every attempt', () => {
    const story = claimed(JobStory.submitted({ pay: [] }, { ...options, retry: { tries: 2 } }).scheduled())
    const again = story.expired('pay').scheduled()
    expect(again.step('pay').failureCount).toBe(1)
    expect(claimed(again, 'b', 'agents-2').step('pay').claim?.by).toBe('agents-2')
  })
})

describe('an attempt that must be claimed', () => {
  it('does not count while it is unclaimed, and is flagged until an agent claims it (F-A22)', () => {
    const offered = dispatched.expired('pay')
    expect(offered.step('pay')).toMatchObject({
      processState: 'Pending',
      failureCount: 0,
      attention: { kind: 'unclaimed', message: expect.stringContaining('no agent "shop"') as unknown },
    })
    const again = offered.scheduled()
    expect(again.step('pay')).toMatchObject({ attempt: 1, attention: { kind: 'unclaimed' } })
    expect(again.job.attention).toMatchObject({ kind: 'unclaimed', stepId: 'pay' })
    expect(again.expired('pay').step('pay').attention?.since).toBe(offered.step('pay').attention?.since)
    const done = claimed(again)
    expect(done.step('pay').attention).toBeNull()
    expect(done.concluded('pay').job).toMatchObject({
      processState: 'Processed',
      attention: null,
    })
  })

  it('loses the flag of the extended wait when that wait is over (R92)', () => {
    const wait = { ...options, onExhausted: { extendedWait: '1h' } } as const
    const waiting = claimed(JobStory.submitted({ pay: [] }, wait).scheduled())
      .expired('pay')
      .scheduled()
    expect(waiting.step('pay').attention?.kind).toBe('extendedWait')
    expect(waiting.expired('pay').scheduled().step('pay').attention).toBeNull()
  })

  it('is offered for longer each time, and has the usual time once it is claimed', () => {
    let story = dispatched
    for (let times = 0; times < 6; times += 1) story = story.expired('pay').scheduled()
    const offered = story.later(1)
    const { completeByMs, completeWithinMs } = offered.step('pay')
    expect(completeByMs).toBeGreaterThan(offered.now + 10 * completeWithinMs)
    expect(claimed(offered).step('pay').completeByMs).toBe(offered.now + completeWithinMs)
  })

  it('counts as a failure when it was claimed and its deadline passed (I4)', () => {
    expect(claimed(dispatched).expired('pay').step('pay')).toMatchObject({
      processState: 'Error',
      failureCount: 1,
    })
  })

  it('is undone only if it was ever claimed, because only then it may have had an effect (F-K2)', () => {
    const cancel = { kind: 'cancel', by: 'ann', why: 'x' } as const
    const undoable = JobStory.submitted({ pay: [] }, { ...options, undo: true }).scheduled()
    expect(undoable.commanded(cancel).scheduled().job.processState).toBe('Compensated')
    const acted = claimed(undoable).commanded(cancel).scheduled()
    expect(acted.job.steps['pay']?.state).toBe('Compensating')
    const offeredAgain = claimed(
      JobStory.submitted({ pay: [] }, { ...options, undo: true, retry: { tries: 2 } }).scheduled(),
    )
      .expired('pay')
      .scheduled()
    expect(offeredAgain.commanded(cancel).scheduled().job.steps['pay']?.state).toBe('Compensating')
  })
})

describe('a process that joins an attempt without a claim', () => {
  const open = JobStory.submitted({ pay: [] }, { completeWithin: '1m', retry: { tries: 2 } }).scheduled()
  const step = open.step('pay')

  it('writes once, before it acts, that it may have acted and is not the only one', () => {
    const joined = { ...step, mayHaveActed: true, joinedFence: step.fence }
    expect(joinAttempt(step, step.fence, open.now)).toStrictEqual({ kind: 'write', step: joined })
    expect(joinAttempt(joined, step.fence, open.now)).toEqual({ kind: 'held' })
    const earlier = { ...joined, joinedFence: step.fence - 1 }
    expect(joinAttempt(earlier, step.fence, open.now)).toStrictEqual({ kind: 'write', step: joined })
  })

  it('is refused another attempt, one that is over, or one that another process has extended', () => {
    const refused = { kind: 'refused' }
    expect(joinAttempt(step, step.fence - 1, open.now)).toEqual(refused)
    expect(joinAttempt(step, step.fence, step.completeByMs ?? 0)).toEqual(refused)
    const settled = open.settled('pay', success).step('pay')
    expect(joinAttempt(settled, settled.fence, open.now)).toEqual(refused)
    const extended = { ...step, claim: { by: 'agents-1', token: 'a', fence: step.fence, at: '' } }
    expect(joinAttempt(extended, step.fence, open.now)).toEqual(refused)
  })
})

describe('`mayHaveActed`', () => {
  const step = JobStory.submitted({ pay: [] }, { completeWithin: '1m' }).scheduled().step('pay')
  const outcome = { kind: 'failed', attempt: 1, at: '', by: 'python', didNothing: false } as const

  it('follows the outcome, even that of a foreign agent which writes nothing else (F-A20)', () => {
    expect(mayHaveActed({ ...step, lockedBy: null, outcome })).toBe(true)
    expect(mayHaveActed({ ...step, outcome: { ...outcome, kind: 'permanent', didNothing: true } })).toBe(
      false,
    )
  })

  it('does not count calls of the undo, which has another key (F-K2)', () => {
    expect(mayHaveActed(step)).toBe(true)
    expect(mayHaveActed({ ...step, direction: 'undo' })).toBe(false)
    expect(mayHaveActed({ ...step, direction: 'undo', mayHaveActed: true })).toBe(true)
  })
})
