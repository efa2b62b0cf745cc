import { copyWith } from '../model/copies/copy-with.js'
import type { Decoded } from '../model/decode.js'
import {
  begunSchema,
  plannedSchema,
  type JobDocument,
  type PlannedStep,
  type StepDocument,
} from '../model/documents.js'
import { keepPlanned, type BegunStep } from '../model/planned/planned-steps.js'
import type { Plan } from '../plan/plan.js'
import { fitIntoJob, isPlannable, plannedStep } from '../plan/planned-plan.js'
import type { StateWrite } from '../store/state-store.js'
import { attemptsInJob, type Dispatched } from './attempts-in-job.js'
import type { Writing } from './begun-submission.js'

/**
 * Leaves out the documents of steps that have not begun, and stores their plans in the job (I45). The first write of a step
 * creates its document, which saves a replace.
 *
 * @param submitted the documents before the job began
 */
export function withPlannedSteps(
  writing: Writing,
  submitted: Pick<Writing, 'decoded'>,
  { steps }: Plan,
): Writing {
  const unbegun = new Set(
    writing.decoded.flatMap((document) =>
      document.kind === 'step' && hasNotBegun(document.step) ? [document.step.stepId] : [],
    ),
  )
  const inJob = begunSteps(writing, submitted)
  const begun = new Map(inJob.map(({ step, attempt }) => [step.stepId, attempt]))
  const withdraw = (): void => {
    for (const { step } of inJob) writing.agents?.withdraw(step)
  }
  const planned = steps.flatMap((step): PlannedStep[] => {
    const attempt = begun.get(step.id)
    if (attempt === undefined && !unbegun.has(step.id)) return []
    return [{ ...plannedStep(step), ...(attempt && { attempt }) }]
  })
  if (planned.length === 0 || !fitIntoJob(planned)) {
    withdraw()
    return writing
  }
  const ofLimits = writing.limits?.writes.length ?? 0
  const isLeftOut = (document: Decoded | undefined): boolean =>
    document?.kind === 'step' && (unbegun.has(document.step.stepId) || begun.has(document.step.stepId))
  const leftOut = writing.decoded.flatMap((document) =>
    document.kind === 'step' && isLeftOut(document) ? [document.step] : [],
  )
  const decoded = writing.decoded.map((document): Decoded => {
    return document.kind === 'job' ? { kind: 'job', job: planning(document.job, planned, leftOut) } : document
  })
  const writes = writing.writes.map((write, index): StateWrite => {
    const document = decoded[index - ofLimits]
    return document?.kind === 'job' ? { kind: 'create', document: document.job } : write
  })
  return {
    ...writing,
    withdraw,
    writes: writes.filter((_write, index) => !isLeftOut(decoded[index - ofLimits])),
    decoded: decoded.filter((document) => !isLeftOut(document)),
  }
}

function planning(job: JobDocument, planned: PlannedStep[], leftOut: readonly StepDocument[]): JobDocument {
  const isBegun = planned.some(({ attempt }) => attempt !== undefined)
  keepPlanned(job, planned, leftOut)
  return copyWith(job, { planned, schema: Math.max(job.schema, isBegun ? begunSchema : plannedSchema) })
}

/** Returns the steps whose first attempts begin in the job. */
function begunSteps({ decoded, agents }: Writing, submitted: Pick<Writing, 'decoded'>): readonly BegunStep[] {
  const job = decoded.find((document) => document.kind === 'job')?.job
  if (job === undefined || agents === undefined) return []
  const dispatched = decoded.flatMap((document): Dispatched[] => {
    if (document.kind !== 'step' || document.step.lockedBy === null || !isPlannable(document.step)) return []
    const { step: after } = document
    for (const before of submitted.decoded) {
      if (before.kind === 'step' && before.step.stepId === after.stepId)
        return [{ before: before.step, after }]
    }
    return []
  })
  return attemptsInJob(job, dispatched, agents)
}

function hasNotBegun({ kind, dispatch, place }: StepDocument): boolean {
  return isPlannable({ kind }) && dispatch === 0 && place === undefined
}
