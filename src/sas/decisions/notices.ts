import { copyWith } from '../model/copies/copy-with.js'
import { basicSchema, type JobDocument, type NoticeDocument, type NoticeKind } from '../model/documents.js'
import { noticeDocumentId } from '../model/document-ids.js'
import { isTerminal } from '../model/process-state.js'

/** What a submitter asked for. If it named no events, notices report all. */
interface Reporting {
  readonly replyTo: string | null
  readonly notify?: readonly NoticeKind[] | undefined
}

/**
 * Adds the notices about a change of a job as documents of the same transaction. So a notice is written if
 * and only if the change is written (I13). Each notice has the next number of its job, so the notices of a
 * job are ordered, and two writes with the same number conflict. Only jobs with a `replyTo` have notices, and only of the events
 * that their submitter asked for.
 *
 * The supervisor writes no notice when it flags a step. The scheduler writes the notice when it copies the
 * flag to the job.
 */
export function withNotices(
  before: JobDocument,
  after: JobDocument,
  now: number,
): { readonly job: JobDocument; readonly notices: readonly NoticeDocument[] } {
  if (after.replyTo === null) return { job: after, notices: [] }
  const kinds = [
    ...(wasUntouched(before) && !wasUntouched(after) ? ['started' as const] : []),
    ...(isNewlyFlagged(before, after) ? ['attention' as const] : []),
    ...(isTerminal(after) && !isTerminal(before) ? ['finished' as const] : []),
  ].filter((kind) => isReported(after, kind))
  const notices = kinds.map((kind, index) => noticeOf(after, kind, { seq: after.notifySeq + index + 1, now }))
  return { job: copyWith(after, { notifySeq: after.notifySeq + kinds.length }), notices }
}

/** Returns the notice that a new job was received, if its submitter asked for it. */
export function receivedNotices(job: JobDocument, now: number): readonly NoticeDocument[] {
  return isReported(job, 'received') ? [noticeOf(job, 'received', { seq: 1, now })] : []
}

/** Checks whether the submitter of a job asked for notices of this kind. */
export function isReported({ replyTo, notify }: Reporting, kind: NoticeKind): boolean {
  return replyTo !== null && (notify === undefined || notify.includes(kind))
}

/** Returns an unsent notice about a job. */
export function noticeOf(
  job: JobDocument,
  kind: NoticeDocument['kind'],
  { seq, now }: { readonly seq: number; readonly now: number },
): NoticeDocument {
  return {
    id: noticeDocumentId(job, seq),
    pk: job.pk,
    type: 'sas.notify',
    schema: basicSchema,
    jobId: job.jobId,
    orderId: job.orderId,
    workflow: job.workflow,
    replyTo: job.replyTo ?? '',
    seq,
    kind,
    state: job.processState,
    reason: job.attention?.message ?? job.compensation?.reason ?? null,
    stepId: job.attention?.stepId ?? null,
    at: new Date(now).toISOString(),
    sentAt: null,
    completeByMs: now,
    failureCount: 0,
    attention: null,
    resends: [],
    ttl: -1,
  }
}

function wasUntouched({ steps, generation }: JobDocument): boolean {
  return generation === 1 && Object.values(steps).every(({ dispatch }) => dispatch === 0)
}

function isNewlyFlagged({ attention: before }: JobDocument, { attention: after }: JobDocument): boolean {
  return after !== null && (after.kind !== before?.kind || after.stepId !== before.stepId)
}
