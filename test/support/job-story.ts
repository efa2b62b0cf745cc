import type { Random } from '../../src/platform/index.js'
import { operate } from '../../src/sas/decisions/operator/operate.js'
import type { Operation, OperatorCommand } from '../../src/sas/decisions/operator/request.js'
import { recoverStep, type Recovery } from '../../src/sas/decisions/recover-step.js'
import type { Schedule } from '../../src/sas/decisions/continue-or-end-job.js'
import { schedule } from '../../src/sas/decisions/schedule.js'
import { settle, type Outcome } from '../../src/sas/decisions/settle.js'
import { submit } from '../../src/sas/submission/submit.js'
import type { JobDocument, StepDocument } from '../../src/sas/model/documents.js'
import {
  aSubmission,
  aWorkflow,
  documentsOf,
  submittedAtMs,
  theStep,
  type JobDocuments,
  type ShapeOptions,
  type WorkflowShape,
} from './a-job.js'

/** The recovery grace of stories. */
export const graceMs = 2_000

/** Random numbers with which a back-off is always the longest. */
export const longestBackoff: Random = { next: () => 0, id: () => '00000000' }

export const success: Outcome = { kind: 'success', output: 'sold' }

/**
 * A job's life as a test tells it. Each method applies one production decision to the current documents. A
 * story never changes: every method returns the story that follows. A decision not to write fails the test.
 * To inspect decisions without writing, use `deciding`.
 */
export class JobStory implements JobDocuments {
  private constructor(
    readonly job: JobDocuments['job'],
    readonly steps: JobDocuments['steps'],
    readonly now: number,
  ) {}

  static submitted(shape: WorkflowShape, options: ShapeOptions = {}): JobStory {
    const { job, steps } = documentsOf(submit(aSubmission(aWorkflow(shape, options).plan)))
    return new JobStory(job, steps, submittedAtMs)
  }

  /** Returns a story that begins with these documents. */
  static of({ job, steps }: JobDocuments): JobStory {
    return new JobStory(job, steps, submittedAtMs)
  }

  step(stepId: string): StepDocument {
    return theStep(this.steps, stepId)
  }

  /** Returns the same steps with this document of the job. */
  withJob(job: JobDocument): JobStory {
    return new JobStory(job, this.steps, this.now)
  }

  /** Returns the same job with this document of one step. */
  withStep(step: StepDocument): JobStory {
    return new JobStory(this.job, replaced(this.steps, step), this.now)
  }

  /** Returns the same documents `ms` later. */
  later(ms: number): JobStory {
    return new JobStory(this.job, this.steps, this.now + ms)
  }

  /** Returns the scheduler's decision if it has only these steps. Default: all. */
  deciding(known: readonly string[] = [...this.steps.keys()], scheduler = 'scheduler-1'): Schedule {
    const steps = new Map(known.map((stepId) => [stepId, this.step(stepId)]))
    return schedule({ job: this.job, steps, now: this.now, scheduler })
  }

  scheduled(scheduler = 'scheduler-1'): JobStory {
    const decision = this.deciding(undefined, scheduler)
    if (decision.kind !== 'write') throw new Error(`the scheduler decided ${decision.kind}`)
    return this.applying(decision)
  }

  applying({ job, changed }: Schedule & { kind: 'write' }): JobStory {
    return new JobStory(job, replaced(this.steps, ...changed), this.now)
  }

  /** Ends the current attempt at this step with an outcome. */
  settled(stepId: string, outcome: Outcome, by = 'agents-1'): JobStory {
    const step = this.step(stepId)
    const attempt = { number: step.attempt, fence: step.fence, by }
    const settlement = settle(step, attempt, outcome, { now: this.now, random: longestBackoff })
    if (settlement.kind === 'discarded') throw new Error(`discarded: ${settlement.reason}`)
    return new JobStory(this.job, replaced(this.steps, settlement.step), this.now)
  }

  /** Ends the current attempt at this step with an outcome, and lets the scheduler act on it. */
  concluded(stepId: string, outcome: Outcome = success): JobStory {
    return this.settled(stepId, outcome).scheduled()
  }

  /** Returns the result of an operator's command. */
  commanding(command: OperatorCommand): Operation {
    return operate(this, command)
  }

  /** Carries out an operator's command. */
  commanded(command: OperatorCommand): JobStory {
    const operation = this.commanding(command)
    if (operation.kind === 'refused') throw new Error(`refused: ${operation.reason}`)
    return new JobStory(operation.job, replaced(this.steps, ...operation.changed), this.now)
  }

  recovering(stepId: string, supervisor = 'supervisor-1'): Recovery {
    return recoverStep(this.step(stepId), { now: this.now, graceMs, supervisor })
  }

  /** Lets the supervisor find that this step's deadline and the grace after it have passed. */
  expired(stepId: string): JobStory {
    const { completeByMs } = this.step(stepId)
    if (completeByMs === null) throw new Error(`step ${stepId} has no deadline`)
    const late = this.later(Math.max(0, completeByMs + graceMs - this.now))
    const recovery = late.recovering(stepId)
    if (!('step' in recovery)) throw new Error(`the supervisor decided ${recovery.kind}`)
    return new JobStory(late.job, replaced(late.steps, recovery.step), late.now)
  }
}

/** Returns the steps with the changed ones replaced. */
export function replaced(
  steps: ReadonlyMap<string, StepDocument>,
  ...changed: readonly StepDocument[]
): ReadonlyMap<string, StepDocument> {
  return new Map([...steps, ...changed.map((step) => [step.stepId, step] as const)])
}
