import { placeOutside } from '../gates/job-place.js'
import { boundedMessage } from '../model/diagnostics.js'
import type { JobDocument, NoticeDocument } from '../model/documents.js'
import { deadline, withDerivedState } from '../model/process-state.js'
import { withNotices } from './notices.js'

/** The reason why a job cannot continue, the instance that found the reason, and the time. */
export interface Obstacle {
  readonly now: number
  readonly by: string
  readonly message: string
  /** The faulty step, or null. */
  readonly stepId: string | null
}

/**
 * Ends a job about which no scheduler can decide. The job is flagged `corrupt`, and its submitter gets a
 * notice. So the job does not block later jobs in the feed, and is not forgotten (I10, I15). Its ledger and
 * steps are unchanged. When the cause is corrected, `resubmit` continues the job from this state.
 */
export function setAside(
  job: JobDocument,
  { now, by, message, stepId }: Obstacle,
): { readonly job: JobDocument; readonly notices: readonly NoticeDocument[] } {
  const at = new Date(now).toISOString()
  const aside = {
    ...job,
    lockedBy: null,
    fence: job.fence + 1,
    ...deadline(null),
    attention: { kind: 'corrupt' as const, since: at, by, message: boundedMessage(message), stepId },
    endedAt: at,
    endedAtMs: now,
    ...placeOutside(job),
  }
  return withNotices(job, withDerivedState(aside), now)
}
