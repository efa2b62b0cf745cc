import type { JobDocument, StepDocument } from '../model/documents.js'
import { stepDocumentId } from '../model/document-ids.js'
import { decodeDocument } from '../model/decode.js'
import { asStored, type StateStore, type Stored } from './state-store.js'

/** Up to this number of steps, single reads cost less than a query, which also requests a query plan. */
const fewSteps = 4

/** Reads the steps of a job. Omits missing and unreadable steps. */
export async function readSteps(
  store: StateStore,
  job: JobDocument,
): Promise<readonly Stored<StepDocument>[]> {
  const { pk, jobId, stepIds } = job
  if (stepIds.length > fewSteps) return store.listSteps(pk, jobId)
  const documents = await Promise.all(
    stepIds.map((stepId) => store.read({ pk, id: stepDocumentId(jobId, stepId) })),
  )
  return documents.flatMap((document) => {
    const decoded = document === null ? null : decodeDocument(document)
    return document !== null && decoded?.kind === 'step' ? [asStored(decoded.step, document)] : []
  })
}
