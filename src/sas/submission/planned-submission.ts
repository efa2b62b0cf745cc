import { copyWith } from '../model/copies/copy-with.js'
import type { Decoded } from '../model/decode.js'
import {
  plannedSchema,
  type JobDocument,
  type Json,
  type PlannedStep,
  type StepDocument,
} from '../model/documents.js'
import { isTooDeep } from '../model/values/plain-json.js'
import type { Plan } from '../plan/plan.js'
import { bytesOf } from '../store/transaction.js'
import type { StateWrite } from '../store/state-store.js'
import type { Writing } from './begun-submission.js'
import { plannedStep } from './submit.js'

/**
 * The largest size of the plans of steps in a job document. Every write of the job contains those that are left, so larger
 * plans would cost more than they save.
 */
const maxPlannedBytes = 8 * 1_024

/**
 * Leaves out the documents of steps that have not begun, and stores their plans in the job (I45). The first write of a step
 * creates its document, which saves a replace. Clients write to steps that wait for events or answers before these begin, so
 * these steps always have documents. A plan is deeper in the job than in its own document, so very deep plans stay in documents.
 */
export function withPlannedSteps(writing: Writing, { steps }: Plan): Writing {
  const unbegun = new Set(
    writing.decoded.flatMap((document) =>
      document.kind === 'step' && isPlannable(document.step) ? [document.step.stepId] : [],
    ),
  )
  const planned = steps.flatMap((step) => (unbegun.has(step.id) ? [plannedStep(step)] : []))
  if (planned.length === 0 || bytesOf(planned) > maxPlannedBytes || isTooDeep(planned as unknown as Json))
    return writing
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

function isPlannable({ kind, dispatch, place }: StepDocument): boolean {
  return kind !== 'waitFor' && dispatch === 0 && place === undefined
}
