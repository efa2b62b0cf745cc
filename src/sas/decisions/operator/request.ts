import { audited } from '../../model/audit.js'
import type { JobDocument, Json, StepDocument } from '../../model/documents.js'
import type { PausedWith } from '../../model/operator-documents.js'
import { triagesOf, type KeptTriage } from '../../waiting/flag-triage.js'
import { deadline, withDerivedState } from '../../model/process-state.js'
import { takeFitting } from '../dispatch.js'
import { pickUpWithinMs } from '../recover-job.js'
import { editOf } from './input-edit.js'

/** A decision of an operator about a job. */
export type OperatorCommand =
  /** Retries the steps that failed permanently (default: all of them), or restarts a job that was undone. */
  | {
      readonly kind: 'resubmit'
      readonly steps?: readonly { readonly stepId: string; readonly input?: Json }[]
      readonly by: string
      readonly why: string
    }
  /** Immediately continues steps that are parked or in an extended wait. Default: all these steps. */
  | { readonly kind: 'release'; readonly stepId?: string; readonly by: string; readonly why: string }
  /** Stops the job and undoes its steps, except steps that cannot be undone. */
  | { readonly kind: 'cancel'; readonly by: string; readonly why: string }
  /** Lets no attempt of the job begin, or ends such a pause. */
  | {
      readonly kind: 'pause' | 'resume'
      readonly by: string
      readonly why: string
      /** The workflow or agent with which the job is paused or resumed. Missing for a command about the job. */
      readonly with?: PausedWith
    }
  /** Says who looks after the problem of a job. A part that is undefined stays as it is, and null removes it. */
  | TriageCommand

export interface TriageCommand {
  readonly kind: 'triage'
  readonly assignee?: string | null
  readonly note?: string | null
  /** ISO-8601 UTC. */
  readonly snoozedUntil?: string | null
  readonly by: string
  /** The change in words. */
  readonly why: string
}

export type Operation =
  | {
      readonly kind: 'write'
      readonly job: JobDocument
      readonly changed: readonly StepDocument[]
      /** False if one transaction is too small. The command must be repeated to change the other steps. */
      readonly isComplete: boolean
    }
  /** The job's current state does not allow the command, so nothing is written. */
  | { readonly kind: 'refused'; readonly reason: string }

export type Resubmission = OperatorCommand & { readonly kind: 'resubmit' }

/** New inputs by step id. */
export type Edits = ReadonlyMap<string, Json>

/** A job, its steps and the time at which an operator decides. */
export interface Standing {
  readonly job: JobDocument
  readonly steps: ReadonlyMap<string, StepDocument>
  readonly now: number
}

type Request = Partial<Operation & { kind: 'write' }> & Pick<Operation & { kind: 'write' }, 'job' | 'changed'>

/** Returns the write of the job with the recorded decision, ready for a scheduler. */
export function requested(
  { now, steps }: Standing,
  command: Exclude<OperatorCommand, TriageCommand>,
  { job, changed, isComplete = true }: Request,
): Operation & { kind: 'write' } {
  const [first, ...others] = changed
  const entry: JobDocument['audit'][number] = {
    command: command.kind,
    stepId: others.length === 0 ? (first?.stepId ?? null) : null,
    at: new Date(now).toISOString(),
    by: command.by,
    why: command.why,
    ...(command.kind === 'resubmit' ? editOf(steps, editsIn(command)) : {}),
  }
  const up = {
    ...job,
    audit: audited(job, entry),
    operatedAtMs: now,
    attention: null,
    ...withoutTriage(job, command.kind === 'release' ? changed : null),
    lockedBy: null,
    fence: job.fence + 1,
    endByMs: null,
    endedAt: null,
    endedAtMs: null,
    ttl: -1,
    ...deadline(now + pickUpWithinMs),
  }
  return { kind: 'write', job: withDerivedState(up), changed, isComplete }
}

/**
 * Returns the change of the triages when the problems of these steps end. Null stands for all problems of the job.
 * A job without a triage gets no field.
 */
export function withoutTriage(
  job: JobDocument,
  ended: readonly StepDocument[] | null = null,
): Partial<Pick<JobDocument, 'triage' | 'otherTriages'>> {
  const all = triagesOf(job)
  if (all.length === 0) return {}
  const isLeft = ({ about }: KeptTriage): boolean =>
    ended !== null && about.stepId !== null && ended.every(({ stepId }) => stepId !== about.stepId)
  const [triage = null, ...others] = all.filter(isLeft)
  return { triage, ...(job.otherTriages === undefined ? {} : { otherTriages: others }) }
}

export function editsIn({ steps = [] }: Resubmission): Edits {
  const edited = steps.flatMap(({ stepId, input }) => (input === undefined ? [] : [[stepId, input] as const]))
  return new Map(edited)
}

/** Returns the steps that fit into the transaction of the job. */
export function atOnce(steps: readonly StepDocument[], job: JobDocument): StepDocument[] {
  return takeFitting(
    steps.map((step) => ({ step })),
    job,
  ).map(({ step }) => step)
}

export function refused(reason: string): Operation {
  return { kind: 'refused', reason }
}

/** Names the steps in the text of a refusal. */
export function list(stepIds: readonly string[]): string {
  if (stepIds.length === 0) return 'none'
  return `${stepIds.length === 1 ? 'step' : 'steps'} ${stepIds.join(', ')}`
}
