import { beforeEach, describe, expect, it } from 'vitest'
import type { StepDocument } from '../../../../src/sas/model/documents.js'
import { DeadlineAdvice } from '../../../../src/sas/agents/deadline-advice.js'
import { TelemetryRecorder } from '../../../../src/telemetry/index.js'
import { aStep } from '../../../support/a-job.js'
import { StateWorld } from '../../../support/state-world.js'

const failoverMs = 77_000

let telemetry: TelemetryRecorder
let review: DeadlineAdvice
beforeEach(() => {
  telemetry = new TelemetryRecorder()
  review = new DeadlineAdvice({ telemetry, instanceName: 'agents-1', failoverMs })
})

const step = (overrides: Partial<StepDocument> = {}): StepDocument =>
  aStep({ completeWithinMs: 60_000, maxFailures: 3, ...overrides })
const told = () => telemetry.of('deadline.doubted')

function attempts(count: number, isCutOff: boolean, of = step()): void {
  for (let index = 0; index < count; index += 1) review.noteEnded(of, isCutOff)
}

describe('a deadline that is too short for its operation (R57)', () => {
  it('is reported once, when it cuts off more than one in a hundred attempts', () => {
    attempts(98, false)
    attempts(1, true)
    expect(told(), 'too few to judge by').toEqual([])
    attempts(1, true)
    expect(told()).toEqual([
      {
        type: 'deadline.doubted',
        operation: 'shop.sell',
        workflow: 'shopping',
        stepId: 'only',
        completeWithinMs: 60_000,
        advice:
          '2 of its last 100 attempts took longer; allow more time, let the handler ask for more time (context.extend), or check what the handler waits for',
        instanceName: 'agents-1',
      },
    ])
    attempts(50, true)
    expect(told()).toHaveLength(1)
  })

  it('is not reported when it cuts off one attempt in a hundred', () => {
    attempts(99, false)
    attempts(1, true)
    expect(told()).toEqual([])
  })

  it('is judged by the latest attempts, separately for each operation', () => {
    attempts(2, true)
    attempts(200, false)
    attempts(2, true)
    attempts(1, true, step({ action: 'takeBack' }))
    expect(told()).toEqual([])
    attempts(1, true)
    expect(told()).toMatchObject([{ operation: 'shop.sell' }])
  })
})

describe('a deadline that does not outlast a takeover (R57)', () => {
  it.each([
    [10_000, 3],
    [60_000, 1],
    [25_000, 3],
  ])('of %i ms with %i attempts is reported once', (completeWithinMs, maxFailures) => {
    const short = step({ completeWithinMs, maxFailures })
    review.noteBegun(short)
    review.noteBegun(short)
    expect(told()).toMatchObject([{ completeWithinMs }])
    expect(told()[0]?.advice).toContain('another instance takes over from a dead one after up to 77000 ms')
  })

  it('is not reported if all attempts together outlast it, or if claims are required', () => {
    review.noteBegun(step())
    review.noteBegun(step({ completeWithinMs: 25_700 }))
    review.noteBegun(step({ completeWithinMs: 1_000, isClaimRequired: true }))
    expect(told()).toEqual([])
  })

  it.each([
    ['1m', { processState: 'Processing', failureCount: 1 }],
    ['10s', { processState: 'Error', failureCount: 3 }],
  ])(
    'of %s leaves a step that no agent receives during the takeover with %j',
    async (completeWithin, expected) => {
      const world = new StateWorld()
      await world.submitted({ pay: [] }, { completeWithin, retry: { tries: 3 } })
      const [scheduler, supervisor] = [world.scheduler(), world.supervisor()]
      supervisor.start()
      for (let second = 0; second < failoverMs / 1_000; second += 1) {
        const changes = await world.changes()
        await scheduler.onChanges(changes)
        supervisor.onChanges(changes, '0')
        await world.clock.advance(1_000)
      }
      await supervisor.stop()
      expect(await world.step()).toMatchObject(expected)
    },
  )
})
