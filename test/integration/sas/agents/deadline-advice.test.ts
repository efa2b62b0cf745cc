import { beforeEach, describe, expect, it } from 'vitest'
import type { StepDocument } from '../../../../src/sas/model/documents.js'
import { DeadlineAdvice } from '../../../../src/sas/agents/deadline-advice.js'
import { TelemetryRecorder } from '../../../../src/telemetry/index.js'
import { aStep } from '../../../support/a-job.js'

let telemetry: TelemetryRecorder
let review: DeadlineAdvice
beforeEach(() => {
  telemetry = new TelemetryRecorder()
  review = new DeadlineAdvice({ telemetry, instanceName: 'agents-1' })
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
