import { describe, expect, it } from 'vitest'
import type { JobDocument, StepDocument } from '../../../../src/sas/model/documents.js'
import { whyNotFurther } from '../../../../src/sas/client/why-not-further.js'
import type { PlaceAtLimit } from '../../../../src/sas/gates/place-ahead.js'
import { aJob, aStep, submittedAtMs } from '../../../support/a-job.js'

const now = submittedAtMs
const minute = 60_000

/** A step that is under way. */
function open(stepId: string, parts: Partial<StepDocument> = {}): StepDocument {
  const completeByMs = now + minute
  return aStep({ stepId, processState: 'Processing', dispatch: 1, completeByMs, ...parts })
}

/** Returns the sentence about a job with these steps under way. */
function sentence(
  steps: readonly StepDocument[],
  parts: Partial<JobDocument> = {},
  atLimit: PlaceAtLimit | null = null,
): string {
  const ledger = steps.map(({ stepId, dispatch }) => [stepId, { state: 'Processing', dispatch }])
  const job = aJob({
    processState: 'Processing',
    lockedBy: 'host',
    stepIds: steps.map(({ stepId }) => stepId),
    steps: Object.fromEntries(ledger) as JobDocument['steps'],
    ...parts,
  })
  return whyNotFurther(job, steps, { now, atLimit })
}

it('a job that no scheduler has taken says so', () => {
  expect(sentence([], { processState: 'Pending', lockedBy: null })).toBe('No scheduler has taken it yet.')
})

it('a step between two rounds says when the next round begins', () => {
  const round = { number: 3, first: 1, until: null, previous: null }
  const waits = open('poll', { processState: 'Pending', round, notBeforeMs: now + minute })
  expect(sentence([waits])).toBe('Step poll begins round 3 at 2026-01-01T00:01:00Z.')
})

it('a step whose next round is due is not dispatched, and missed no deadline', () => {
  const round = { number: 2, first: 1, until: null, previous: null }
  const dueAt = (ms: number) =>
    open('poll', { processState: 'Pending', round, notBeforeMs: ms, completeByMs: ms })
  expect(sentence([dueAt(now - 1_000)])).toBe(
    'Step poll begins round 2 as soon as the supervisor handles it (due since 2025-12-31T23:59:59Z).',
  )
  expect(sentence([dueAt(now - 5 * minute)])).toBe(
    'The next attempt of step poll was due at 2025-12-31T23:55:00Z, and no supervisor has offered it; ' +
      '"stepward leases" shows whether one runs.',
  )
})

it('a large list says how many items have ended, also at the beginning of a round', () => {
  const claim = { fence: 1, by: 'host', token: 't', at: '2026-01-01T00:00:00.000Z' }
  const parts = { actor: 'stepward', action: 'each', fence: 1, claim } as const
  const progress = { done: 831, of: 2_000, note: '3 failed', at: '' }
  const said = 'Step each: 831 of 2,000 items have ended, 3 failed.'
  expect(sentence([open('each', { ...parts, progress })])).toBe(said)
  const previous = { of: 2_000, next: 900, underWay: [], done: 828, failed: 3, failures: [], isOver: false }
  const round = { number: 2, first: 1, until: null, previous }
  expect(sentence([open('each', { ...parts, round, progress: null })])).toBe(said)
  expect(sentence([open('each', parts)])).toBe('Step each has counted no ended item yet.')
  expect(sentence([open('each', { ...parts, progress }), open('pay')])).toBe(
    'Step pay is dispatched to agent shop, until 2026-01-01T00:01:00Z at the latest. ' + said,
  )
})

it('an ended job says how it ended', () => {
  expect(sentence([], { processState: 'Processed' })).toBe('Every step is done or skipped.')
  const steps = { a: { state: 'Processed', dispatch: 1 }, b: { state: 'Refused', dispatch: 1 } }
  const left = { processState: 'Processed', stepIds: ['a', 'b'], steps } as Partial<JobDocument>
  expect(sentence([], left)).toBe('The job ended without b.')
  const compensation = { since: '', by: 'ada', reason: 'withdrawn', thenRetry: false }
  const undone = (states: Readonly<Record<string, string>>): Partial<JobDocument> => {
    const entries = Object.entries(states).map(([id, state]) => [id, { state, dispatch: 1 }] as const)
    const ledger: Readonly<Record<string, object>> = Object.fromEntries(entries)
    return { processState: 'Compensated', compensation, stepIds: Object.keys(states), steps: ledger } as never
  }
  const acted = (stepId: string): StepDocument => open(stepId, { mayHaveActed: true, lockedBy: null })
  const without = open('none', { lockedBy: null, outcome: null, claim: null })
  expect(sentence([without], undone({ none: 'NotStarted' }))).toBe('There was nothing to undo: withdrawn.')
  expect(sentence([open('a'), without], undone({ a: 'Compensated' }))).toBe(
    'Everything was undone: withdrawn.',
  )
  expect(sentence([acted('a')], undone({ a: 'Processed' }))).toBe(
    'Nothing was undone: withdrawn. The effect of a may stay.',
  )
  expect(
    sentence(
      [acted('c'), open('a'), acted('b')],
      undone({ a: 'Compensated', b: 'Processed', c: 'NotStarted' }),
    ),
  ).toBe('What has an undo was undone: withdrawn. The effects of b and c may stay.')
})

it('a flagged job says that it waits for an operator, and for what', () => {
  const attention = { kind: 'parked', since: '', by: 'x', message: 'no card', stepId: 'a' } as const
  expect(sentence([open('a')], { attention })).toBe('It waits for an operator: no card')
})

it('a job that no instance takes, and one that tries again later, say so', () => {
  const attention = { kind: 'unclaimed', since: '', by: 'x', message: 'no agent', stepId: 'a' } as const
  expect(sentence([open('a')], { attention })).toBe('It waits for an instance: no agent')
  const waits = open('a', { notBeforeMs: now + 30 * minute })
  const later = { ...attention, kind: 'extendedWait', message: 'no card' } as const
  expect(sentence([waits], { attention: later })).toBe(
    'It waits for an operator, or tries again in 30 min, at 2026-01-01T00:30:00Z: no card',
  )
})

it('a step with an agent is named with the agent and the deadline', () => {
  expect(sentence([open('a', { actor: 'bank' })])).toBe(
    'Step a is dispatched to agent bank, until 2026-01-01T00:01:00Z at the latest.',
  )
})

it('of many steps, three are named, and the earliest deadline', () => {
  const steps = ['a', 'b', 'c', 'd', 'e'].map((id, index) =>
    open(id, { actor: index % 2 === 0 ? 'bank' : 'shop', completeByMs: now + (5 - index) * minute }),
  )
  expect(sentence(steps)).toBe(
    'Steps a, b, c and 2 others are dispatched to agents bank, shop, until 2026-01-01T00:01:00Z at the latest.',
  )
})

it('a step that waits for an event is named, also beside a sleep', () => {
  const asking = open('approval', { kind: 'waitFor', event: null })
  const sleeping = open('pause', { kind: 'sleep' })
  expect(sentence([asking, sleeping])).toBe(
    'Step approval waits for an event, until 2026-01-01T00:01:00Z at the latest.',
  )
  expect(sentence([sleeping])).toBe('Step pause sleeps until 2026-01-01T00:01:00Z.')
})

it('a step that sleeps in the store is Pending, and is named', () => {
  const sleeping = open('pause', { kind: 'sleep', processState: 'Pending', lockedBy: null })
  expect(sentence([sleeping])).toBe('Step pause sleeps until 2026-01-01T00:01:00Z.')
})

it('a question says who is asked, since when and until when', () => {
  const asked = {
    title: 'Sure?',
    assignees: ['ann', 'bob'],
    since: new Date(now - minute).toISOString(),
    expiresAtMs: now + 2 * minute,
  }
  const times =
    'since 2025-12-31T23:59:00Z, until 2026-01-01T00:02:00Z at the latest; "stepward answer" answers it.'
  const step = open('approve', { kind: 'waitFor', asked })
  expect(sentence([open('a', { actor: 'bank' }), step])).toBe(
    `Step approve waits for an answer from ann and bob ${times}`,
  )
  const anyone = open('approve', { kind: 'waitFor', asked: { ...asked, assignees: [] } })
  expect(sentence([anyone])).toBe(`Step approve waits for an answer from anyone ${times}`)
})

it('a question of which people were reminded names the command that answers it', () => {
  const asked = { title: 'Sure?', assignees: [], since: '', expiresAtMs: now }
  const message = 'the question "Sure?" is open'
  const attention = { kind: 'unanswered', since: '', by: 'x', message, stepId: 'sure' } as const
  const sure = open('sure', { kind: 'waitFor', asked })
  expect(sentence([sure], { attention })).toBe(
    'It waits for an operator: the question "Sure?" is open; "stepward answer" answers it.',
  )
  expect(sentence([sure], { attention: { ...attention, kind: 'parked', stepId: 'pay' } })).toBe(
    'It waits for an operator: the question "Sure?" is open',
  )
})

it('steps that must be claimed and that no agent has claimed are named before others', () => {
  const fence = 3
  const taken = { fence, by: 'x', token: 't', at: '' }
  const pay = open('pay', { actor: 'payments', isClaimRequired: true, fence, claim: { ...taken, fence: 2 } })
  const other = open('a', { actor: 'bank' })
  expect(sentence([other, pay])).toBe(
    'No instance with agent payments has claimed step pay yet; "stepward leases" shows what runs.',
  )
  const tip = { ...pay, stepId: 'tip', actor: 'tips' }
  expect(sentence([pay, tip])).toBe(
    'No instance with agents payments, tips has claimed steps pay and tip yet; "stepward leases" shows what runs.',
  )
  expect(sentence([{ ...pay, claim: taken }])).toBe(
    'Step pay is with agent payments, until 2026-01-01T00:01:00Z at the latest.',
  )
})

it('a step whose last attempt got no answer says to look for the agent', () => {
  const said = 'Step a is dispatched to agent bank, until 2026-01-01T00:01:00Z at the latest.'
  const silent = open('a', { actor: 'bank', failureCount: 2, maxFailures: 3 })
  const hint =
    'Attempt 2 of step a got no answer in time: check that an instance has agent bank, and that its handler ends in 60 s.'
  expect(sentence([silent])).toBe(`${said} ${hint}`)
  const told = (attempt: number) => [{ at: '', by: 'x', message: 'no card', attempt }]
  expect(sentence([{ ...silent, diagnostics: told(1) }])).toBe(`${said} ${hint}`)
  const claim = { fence: 1, by: 'host', token: 't', at: '2026-01-01T00:00:00.000Z' }
  expect(sentence([{ ...silent, fence: 1, claim }]), 'an instance has the agent').toBe(
    'Step a is with agent bank, until 2026-01-01T00:01:00Z at the latest. ' +
      'Attempt 2 of step a got no answer in time: check that its handler ends in 60 s.',
  )
  expect(sentence([{ ...silent, diagnostics: told(2) }])).toBe(said)
})

it('a step that backs off says why it failed and when it is tried again', () => {
  const diagnostics = [
    { at: '', by: 'x', message: 'no answer', attempt: 1 },
  ] as unknown as StepDocument['diagnostics']
  const backing = open('a', { failureCount: 1, maxFailures: 3, notBeforeMs: now + 12_000, diagnostics })
  const said = 'Step a failed 1 of 3 times ("no answer") and is tried again in 12 s, at 2026-01-01T00:00:12Z.'
  expect(sentence([backing])).toBe(said)
  const later = { ...backing, stepId: 'b', notBeforeMs: now + 5 * minute, diagnostics: [] }
  expect(sentence([later, backing])).toBe(`${said} 1 other step waits too.`)
  expect(sentence([later])).toMatch(/\(no answer\) and is tried again in 5 min, at 2026-01-01T00:05:00Z\.$/)
  expect(sentence([{ ...later, notBeforeMs: now + 180 * minute }])).toContain('again in 3 h, at')
})

it('a failed step of a job that is undone is not tried again, but its failed undo is', () => {
  const compensation = { since: '', by: 'ops', reason: 'cancelled', thenRetry: false }
  const backing = open('a', { failureCount: 1, maxFailures: 3, notBeforeMs: now + minute })
  expect(sentence([backing], { compensation })).toBe(
    'Step a failed 1 of 3 times (no answer) and is not tried again, because the job is undone.',
  )
  const undo = {
    actor: 'bank',
    action: 'refund',
    inputTemplate: {},
    input: {},
    failureCount: 1,
    whenUncertain: false,
  }
  const undoing = { ...backing, direction: 'undo' as const, undo }
  expect(sentence([undoing], { compensation })).toContain('and is tried again in 60 s')
  const waiting = { ...undoing, undo: { ...undo, failureCount: 0 }, processState: 'Pending' as const }
  expect(sentence([waiting], { compensation })).toBe('Step a is undone in 60 s, at 2026-01-01T00:01:00Z.')
})

it('names only the step that is with an agent, if another one waits for its next attempt', () => {
  const backing = open('a', { failureCount: 1, notBeforeMs: now + minute })
  expect(sentence([backing, open('b', { actor: 'bank' })])).toBe(
    'Step b is dispatched to agent bank, until 2026-01-01T00:01:00Z at the latest.',
  )
})

describe('a step that waits at a limit', () => {
  const since = '2026-01-01T00:00:00.000Z'
  const gates = [{ key: 'bank', group: '', atOnce: 20 }]
  const place = { entry: 0, gates, waitsFor: 'bank', turn: null, since, reservedMs: null }
  const pay = open('pay', { place })
  const known = { stepId: 'pay', inside: 20, atOnce: 20, ahead: 14, set: null }
  const from = 'Step pay waits for room in limit "bank" since 2026-01-01T00:00:00Z'
  const more = '; "stepward limits" shows the limits.'

  it('says how many steps are inside and ahead of it', () => {
    const said = (parts: Partial<PlaceAtLimit>) => sentence([pay], {}, { ...known, ...parts })
    expect(said({})).toBe(`${from}: 20 of 20 places are taken, and 14 steps are ahead of it${more}`)
    expect(said({ ahead: 1 })).toContain('and 1 step is ahead of it')
    expect(said({ ahead: 0, atOnce: null })).toBe(`${from}: no steps are ahead of it${more}`)
    expect(said({ ahead: null })).toBe(`${from}: its turn has come${more}`)
  })

  it('says who has paused the limit', () => {
    const set = { by: 'ann', at: since, why: 'the bank is down' }
    expect(sentence([pay], {}, { ...known, atOnce: 0, set })).toBe(
      `${from}${more} The limit was paused by ann at 2026-01-01T00:00:00Z: the bank is down.`,
    )
  })

  it('names the limit if its document was not read, or is about another step', () => {
    expect(sentence([pay])).toBe(`${from}${more}`)
    expect(sentence([pay], {}, { ...known, stepId: 'tip' })).toBe(`${from}${more}`)
  })

  it('says how long its rate makes it wait', () => {
    const rated = [{ key: 'mail', group: '', perSecond: 2 }]
    const held = { ...place, gates: rated, waitsFor: null, reservedMs: now + 5_000 }
    expect(sentence([open('pay', { place: held })])).toBe(
      'Step pay waits until 2026-01-01T00:00:05Z by the rate of limit "mail".',
    )
  })
})

it('a job that is paused with its workflow or agent says so', () => {
  const paused = { since: '2026-01-01T00:00:00.000Z', by: 'ann', why: 'the bank is down' }
  for (const kind of ['workflow', 'agent'] as const) {
    expect(sentence([], { paused, pausedWith: { kind, name: 'payments' } })).toBe(
      `It is paused with ${kind} payments, which was paused by ann at 2026-01-01T00:00:00Z: the bank is down.`,
    )
  }
})

it('a step whose document is older than the ledger is not described', () => {
  const steps = { a: { state: 'Processing', dispatch: 2 } } as JobDocument['steps']
  expect(sentence([open('a')], { steps })).toBe('The scheduler decides what follows.')
})

it('a paused job names the operator, the time and the reason, and the attempts that have not ended', () => {
  const paused = { since: '2026-01-01T00:00:00.000Z', by: 'ann', why: 'the bank is down' }
  const said = 'It was paused by ann at 2026-01-01T00:00:00Z: the bank is down.'
  expect(sentence([], { paused })).toBe(said)
  const compensation = {
    reason: 'cancelled',
    by: 'ann',
    at: '',
    restarts: false,
  } as unknown as JobDocument['compensation']
  expect(sentence([], { paused, compensation })).toBe(`${said} What it did is undone when it is resumed.`)
  const steps = [open('pay', { lockedBy: 'host' }), open('nap', { kind: 'sleep', completeByMs: null })]
  expect(sentence(steps, { paused })).toBe(
    `${said} Step pay is dispatched to agent shop, until 2026-01-01T00:01:00Z at the latest.`,
  )
})

it('a step whose deadline passed long ago says that no supervisor has handled it', () => {
  const late = (stepId: string, byMs: number) => open(stepId, { completeByMs: now - byMs })
  expect(sentence([late('a', 2 * minute)])).toBe(
    'Step a is dispatched to agent shop; the deadline passed at 2025-12-31T23:58:00Z, and the supervisor has not handled it yet.',
  )
  const said = 'passed at 2025-12-31T23:55:00Z, and no supervisor has handled it; '
  const advice = '"stepward leases" shows whether one runs.'
  expect(sentence([late('a', 5 * minute), open('b')])).toBe(`The deadline of step a ${said}${advice}`)
  expect(sentence([late('a', 5 * minute), late('b', 3 * minute)])).toBe(
    `The deadline of steps a and b ${said}${advice}`,
  )
})

it('a dispatched step whose deadline passed long ago may still wait for a slot', () => {
  const completeByMs = now - 5 * minute
  const offered = { ...open('a', { completeByMs, lockedBy: 'host' }), processState: 'Processing' as const }
  expect(sentence([offered])).toBe(
    'The deadline of step a passed at 2025-12-31T23:55:00Z: either all slots of agent shop are taken, or no supervisor ' +
      'has handled it; "stepward leases" shows the slots, and whether a supervisor runs.',
  )
})

it('a name that changes the direction of text does not turn the sentence around', () => {
  const paused = { since: '2026-01-01T00:00:00.000Z', by: 'a\u202enn', why: 'no\u2069\u2066' }
  expect(sentence([], { paused })).toBe(
    'It was paused by a\\u202enn at 2026-01-01T00:00:00Z: no\\u2069\\u2066.',
  )
})

it('a job that ended well names the items of its large lists that failed', () => {
  const each = aStep({ stepId: 'each', actor: 'stepward', action: 'each', processState: 'Processed' })
  const ended = (failed: number) =>
    sentence([{ ...each, output: { of: 2_000, done: 2_000 - failed, failed, failures: [] } }], {
      jobId: 'night',
      processState: 'Processed',
      steps: { each: { state: 'Processed', dispatch: 1 } },
    })
  expect(ended(0)).toBe('Every step is done or skipped.')
  expect(ended(3)).toBe(
    'Every step is done or skipped. 3 items of 2000 in step each failed. ' +
      '"stepward list --text night/ --state Error" lists them.',
  )
})
