import type { Change } from '../../change-feed-processor/index.js'
import type { JobDocument } from '../model/documents.js'
import { jobDocumentId } from '../model/document-ids.js'
import type { DocumentAddress } from '../store/state-store.js'

export interface ChangedJob extends DocumentAddress {
  readonly jobId: string
  readonly priority: number
  readonly stepIds: Set<string>
}

/** Notes the job of an unreadable document, because operators see the problem on the job. */
export function noteUnreadable(
  { id, type, pk, jobId, stepId }: Change,
  changed: Map<string, ChangedJob>,
): void {
  if (typeof pk !== 'string') return
  if (type === 'sas.job') {
    // The document's id is used, because its `jobId` may be the unreadable field.
    const name = typeof jobId === 'string' ? jobId : id
    changed.set(`${pk}\n${id}`, { pk, id, jobId: name, priority: 0, stepIds: new Set() })
    return
  }
  if (type !== 'sas.step') return
  if (typeof jobId !== 'string' || typeof stepId !== 'string') return
  changedJob({ pk, jobId, priority: 0 }, changed).stepIds.add(stepId)
}

export function changedJob(
  document: Pick<JobDocument, 'pk' | 'jobId' | 'priority'>,
  changed: Map<string, ChangedJob>,
): ChangedJob {
  const id = jobDocumentId(document.jobId)
  const key = `${document.pk}\n${id}`
  const { pk, jobId, priority } = document
  const known = changed.get(key) ?? { pk, id, jobId, priority, stepIds: new Set<string>() }
  changed.set(key, known)
  return known
}
