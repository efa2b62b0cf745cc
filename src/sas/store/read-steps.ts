import type { JobDocument, StepDocument } from '../model/documents.js'
import { stepDocumentId } from '../model/document-ids.js'
import { decodeDocument } from '../model/decode.js'
import type { StateStore } from './state-store.js'

/** Up to this number, reads of documents cost less than a query, which also asks the store for its plan. */
const fewSteps = 4

/** The steps of a job as they are now; what is gone or cannot be read is left out. */
export async function readSteps(store: StateStore, job: JobDocument): Promise<readonly StepDocument[]> {
  const { pk, jobId, stepIds } = job
  if (stepIds.length > fewSteps) return store.listSteps(pk, jobId)
  const documents = await Promise.all(
    stepIds.map((stepId) => store.read({ pk, id: stepDocumentId(jobId, stepId) })),
  )
  return documents.flatMap((document) => {
    const decoded = document === null ? null : decodeDocument(document)
    return decoded?.kind === 'step' ? [decoded.step] : []
  })
}
