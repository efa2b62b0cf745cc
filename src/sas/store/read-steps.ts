import type { JobDocument, StepDocument } from '../model/documents.js'
import { jobDocumentId, stepDocumentId } from '../model/document-ids.js'
import { decodeDocument } from '../model/decode.js'
import { hasDocument, plannedSteps, withPlannedOf } from '../model/planned/planned-steps.js'
import { asStored, type StateStore, type Stored } from './state-store.js'
import { readJob, readStep } from './update-document.js'

/** Up to this number of steps, single reads cost less than a query, which also requests a query plan. */
const fewSteps = 4

/** Reads the steps of a job. Omits missing and unreadable steps. */
export async function readSteps(
  store: StateStore,
  job: JobDocument,
): Promise<readonly Stored<StepDocument>[]> {
  const { pk, jobId } = job
  const stepIds = job.stepIds.filter((stepId) => hasDocument(job, stepId))
  if (stepIds.length > fewSteps) return listSteps(store, job)
  const documents = await Promise.all(
    stepIds.map((stepId) => store.read({ pk, id: stepDocumentId(jobId, stepId) })),
  )
  const read = documents.flatMap((document) => {
    const decoded = document === null ? null : decodeDocument(document)
    return document !== null && decoded?.kind === 'step' ? [asStored(decoded.step, document)] : []
  })
  return withPlannedOf(job, read)
}

/** A step of a job in this partition. */
interface StepPlace {
  readonly pk: string
  readonly jobId: string
  readonly stepId: string
}

/** Reads a step from its document, or from the plan of its job. Returns null if it is in neither, or unreadable. */
export async function readStepOrPlan(
  store: StateStore,
  { pk, jobId, stepId }: StepPlace,
): Promise<Stored<StepDocument> | null> {
  const address = { pk, id: stepDocumentId(jobId, stepId) }
  const step = await readStep(store, address)
  // A document that expires may be left over from an earlier job with this id.
  if (step?.ttl === -1) return step
  const job = await readJob(store, { pk, id: jobDocumentId(jobId) })
  const planned = job === null ? undefined : plannedSteps(job).get(stepId)
  // The step may have begun between the two reads.
  return planned ?? readStep(store, address)
}

/** Lists the steps of a job with one query, and adds the planned ones. Omits missing and unreadable steps. */
export async function listSteps(
  store: StateStore,
  job: JobDocument,
): Promise<readonly Stored<StepDocument>[]> {
  return withPlannedOf(job, await store.listSteps(job.pk, job.jobId))
}
