import { boundedMessage } from '../model/diagnostics.js'
import type { JobDocument, NoticeDocument } from '../model/documents.js'
import { deadline, withDerivedState } from '../model/process-state.js'
import { withNotices } from './notices.js'

/** Why a job cannot go on as its documents stand, and who found out when. */
export interface Obstacle {
  readonly now: number
  readonly by: string
  readonly message: string
  /** The step it is about, when it is about one. */
  readonly stepId: string | null
}

/**
 * A job that no scheduler can decide about: out of the loop, flagged `corrupt`, and told, so that it neither blocks the
 * jobs behind it in the feed nor is forgotten (I10, I15). Ledger and steps stay as they are: when the cause is mended,
 * `resubmit` lets the job go on from there.
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
  }
  return withNotices(job, withDerivedState(aside), now)
}
