import { copyWith } from '../model/copies/copy-with.js'
import type { Decoded } from '../model/decode.js'
import { plannedSchema, type JobDocument, type PlannedStep, type StepDocument } from '../model/documents.js'
import type { Plan } from '../plan/plan.js'
import { fitIntoJob, isPlannable, plannedStep } from '../plan/planned-plan.js'
import type { StateWrite } from '../store/state-store.js'
import type { Writing } from './begun-submission.js'

/**
 * Leaves out the documents of steps that have not begun, and stores their plans in the job (I45). The first write of a step
 * creates its document, which saves a replace.
 */
export function withPlannedSteps(writing: Writing, { steps }: Plan): Writing {
  const unbegun = new Set(
    writing.decoded.flatMap((document) =>
      document.kind === 'step' && hasNotBegun(document.step) ? [document.step.stepId] : [],
    ),
  )
  const planned = steps.flatMap((step) => (unbegun.has(step.id) ? [plannedStep(step)] : []))
  if (planned.length === 0 || !fitIntoJob(planned)) return writing
  const ofLimits = writing.limits?.writes.length ?? 0
  const isLeftOut = (document: Decoded | undefined): boolean =>
    document?.kind === 'step' && unbegun.has(document.step.stepId)
  const decoded = writing.decoded.map((document): Decoded => {
    return document.kind === 'job' ? { kind: 'job', job: planning(document.job, planned) } : document
  })
  const writes = writing.writes.map((write, index): StateWrite => {
    const document = decoded[index - ofLimits]
    return document?.kind === 'job' ? { kind: 'create', document: document.job } : write
  })
  return {
    ...writing,
    writes: writes.filter((_write, index) => !isLeftOut(decoded[index - ofLimits])),
    decoded: decoded.filter((document) => !isLeftOut(document)),
  }
}

function planning(job: JobDocument, planned: PlannedStep[]): JobDocument {
  return copyWith(job, { planned, schema: Math.max(job.schema, plannedSchema) })
}

function hasNotBegun({ kind, dispatch, place }: StepDocument): boolean {
  return isPlannable({ kind }) && dispatch === 0 && place === undefined
}
