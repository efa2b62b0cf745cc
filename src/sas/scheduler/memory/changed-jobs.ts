import type { StateChange } from '../../model/delivered/state-change.js'
import type { JobDocument } from '../../model/documents.js'
import { jobDocumentId } from '../../model/document-ids.js'
import type { DocumentAddress } from '../../store/state-store.js'

/**
 * The etags of the newest versions that a piece of work has received. Its decision must come from these
 * versions or from later ones. An etag is null if any version will do.
 */
export interface SeenVersions {
  job: string | null
  /** The etags by step id. The decision needs each of these steps. */
  readonly steps: Map<string, string | null>
}

export interface ChangedJob extends DocumentAddress {
  readonly jobId: string
  readonly priority: number
  readonly seen: SeenVersions
}

/** Notes the job of an unreadable document, because operators see the problem on the job. */
export function noteUnreadable(
  { id, type, pk, jobId, stepId }: StateChange,
  changed: Map<string, ChangedJob>,
): void {
  if (typeof pk !== 'string') return
  if (type === 'sas.job') {
    // The document's id is used, because its `jobId` may be the unreadable field.
    const name = typeof jobId === 'string' ? jobId : id
    changed.set(`${pk}\n${id}`, { pk, id, jobId: name, priority: 0, seen: noneSeen() })
    return
  }
  if (type !== 'sas.step') return
  if (typeof jobId !== 'string' || typeof stepId !== 'string') return
  changedJob({ pk, jobId, priority: 0 }, changed).seen.steps.set(stepId, null)
}

export function changedJob(
  document: Pick<JobDocument, 'pk' | 'jobId' | 'priority'>,
  changed: Map<string, ChangedJob>,
): ChangedJob {
  const id = jobDocumentId(document.jobId)
  const key = `${document.pk}\n${id}`
  const { pk, jobId, priority } = document
  const known = changed.get(key) ?? { pk, id, jobId, priority, seen: noneSeen() }
  changed.set(key, known)
  return known
}

export function noneSeen(): SeenVersions {
  return { job: null, steps: new Map() }
}
