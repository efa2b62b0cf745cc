import { describe, expect, it } from 'vitest'
import { intervalsOf } from '../../../../src/sas/waiting/step-intervals.js'

const startMs = Date.parse('2026-01-01T00:00:00.000Z')
const at = (second: number): string => new Date(startMs + second * 1_000).toISOString()

const aStep = (stepId: string, parts: object) => ({
  stepId,
  kind: 'operation',
  direction: 'do',
  processState: 'Processing',
  dispatch: 1,
  dependsOn: [],
  diagnostics: [],
  attention: null,
  outcome: null,
  event: null,
  claim: null,
  attempt: 1,
  failureCount: 0,
  notBeforeMs: null,
  completeByMs: null,
  completeWithinMs: 60_000,
  ...parts,
})
const secondsOf = (job: object, steps: object[], now: number) =>
  intervalsOf(
    { submittedAt: at(0), audit: [], steps: {}, compensation: null, ...job } as never,
    steps as never,
    startMs + now * 1_000,
  ).map(({ stepId, kind, from, to }) => [
    stepId,
    kind,
    (Date.parse(from) - startMs) / 1000,
    to && (Date.parse(to) - startMs) / 1000,
  ])

describe('the end of a sleep', () => {
  it('is later by the time of a pause of the job, because the scheduler moves the sleep (withDeadline)', () => {
    // A sleep of 60 s from 0 s. The job is paused from 10 s to 110 s, so the sleep ends at 160 s.
    const decided = (command: string, second: number) => ({
      command,
      stepId: null,
      at: at(second),
      by: 'ann',
      why: '',
    })
    const rows = secondsOf(
      { stepIds: ['nap', 'pay'], endedAt: at(162), audit: [decided('pause', 10), decided('resume', 110)] },
      [
        aStep('nap', {
          kind: 'sleep',
          processState: 'Processed',
          input: { forMs: 60_000 },
          inputTemplate: { forMs: 60_000 },
        }),
        aStep('pay', {
          dependsOn: ['nap'],
          processState: 'Processed',
          claim: { by: 'a', at: at(161) },
          outcome: { kind: 'success', attempt: 1, at: at(162), by: 'a', didNothing: false },
        }),
      ],
      200,
    )
    expect(rows).toContainEqual(['pay', 'waiting', 160, 161])
  })

  it('is not in the future if the step that cut it short was skipped', () => {
    const rows = secondsOf(
      {
        stepIds: ['ask', 'nap'],
        endedAt: null,
        steps: { ask: { state: 'Skipped', dispatch: 0 }, nap: { state: 'Processed', dispatch: 2 } },
      },
      [
        aStep('ask', { kind: 'waitFor', processState: 'Pending', dispatch: 0 }),
        aStep('nap', {
          kind: 'sleep',
          processState: 'Processed',
          dispatch: 2,
          input: { forMs: 3_600_000 },
          inputTemplate: { forMs: 3_600_000, orUntil: { $from: ['steps', 'ask', 'outcomeSoFar'] } },
        }),
      ],
      100,
    )
    for (const [, , , to] of rows) expect(to ?? 0).toBeLessThanOrEqual(100)
  })
})
