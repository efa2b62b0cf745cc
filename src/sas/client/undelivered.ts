import type { AuditEntry, NoticeDocument } from '../model/documents.js'
import { decodeDocument } from '../model/decode.js'
import { CommandRefused, JobNotFound, StoreUnavailable } from '../model/errors.js'
import { receiverOf } from '../notifier/reply.js'
import { replacing, type StateStore, type Stored } from '../store/state-store.js'
import type { NoticeFilter } from '../store/job-filter.js'

/** A notice that was given up: its submitter does not know. */
export interface UndeliveredNotice {
  readonly jobId: string
  readonly partitionKey: string
  readonly workflow: string
  /** 1, 2, 3… within its job. */
  readonly seq: number
  /** The kind of event that it reports. */
  readonly kind: NoticeDocument['kind']
  /** Who was to be told: `container:NAME`, or a URL without what may be secret in its path and query. */
  readonly receiver: string
  /** ISO-8601 UTC: when the reported event happened. */
  readonly at: string
  /** ISO-8601 UTC: when it was given up. */
  readonly since: string
  /** Why. */
  readonly message: string
  /** Who had it sent again before, and why, oldest first. */
  readonly resends: readonly Pick<AuditEntry, 'at' | 'by' | 'why'>[]
}

/** Notices of one job that are looked at: more than any job has. */
const mostOfOneJob = 1_000
/** Rivals that are put up with for each notice. */
const maxTries = 6
/** Entries kept on a notice: the last ones. */
const mostResends = 20

/** Who has notices sent again, and why. */
interface ResendDecision {
  readonly by: string
  readonly why: string
  readonly now: number
  readonly isDryRun: boolean
}

/** What was given up, the oldest first. */
export async function undelivered(
  store: StateStore,
  filter: NoticeFilter,
): Promise<readonly UndeliveredNotice[]> {
  const found = await store.listUndelivered(filter)
  return found.flatMap(asUndelivered).sort((one, other) => (one.since < other.since ? -1 : 1))
}

/**
 * W11: asks for another round of tries of each notice of the job that was given up. Those that were sent after it are not
 * sent again: receivers know the order by `seq` (I13).
 *
 * @returns those that were given up
 * @throws CommandRefused when none was given up, JobNotFound when there is no such job either; nothing was written
 */
export async function resend(
  store: StateStore,
  jobId: string,
  decision: ResendDecision,
): Promise<readonly NoticeDocument[]> {
  const notices = await store.listUndelivered({ jobId, limit: mostOfOneJob })
  if (notices.length === 0) {
    if ((await store.findJob(jobId)) === null) throw new JobNotFound(jobId)
    throw new CommandRefused(jobId, 'no notice of it was given up')
  }
  if (!decision.isDryRun) for (const notice of notices) await resendOne(store, notice, decision)
  return notices
}

/** Level, not edge: one that a rival has asked for already, or that was sent meanwhile, is left alone. */
async function resendOne(
  store: StateStore,
  notice: Stored<NoticeDocument>,
  decision: ResendDecision,
): Promise<void> {
  let known: Stored<NoticeDocument> | null = notice
  for (let tries = 0; tries < maxTries; tries += 1) {
    if (!known?.attention) return
    const result = await store.apply(known.pk, [replacing(known, toBeSent(known, decision))])
    if (result.kind === 'applied') return
    known = await readNotice(store, known)
  }
  const message = `notice ${notice.id}: still contended after ${maxTries} tries`
  throw new StoreUnavailable(message, { cause: null })
}

/** The notice as it was before its first try, with the decision. */
function toBeSent(notice: NoticeDocument, { by, why, now }: ResendDecision): NoticeDocument {
  const resends = [...notice.resends, { at: new Date(now).toISOString(), by, why }].slice(-mostResends)
  return { ...notice, completeByMs: now, failureCount: 0, attention: null, resends }
}

async function readNotice(
  store: StateStore,
  address: Pick<NoticeDocument, 'pk' | 'id'>,
): Promise<Stored<NoticeDocument> | null> {
  const document = await store.read(address)
  const decoded = document === null ? null : decodeDocument(document)
  if (document === null || decoded?.kind !== 'notice') return null
  return { ...decoded.notice, _etag: document._etag, _ts: document._ts }
}

function asUndelivered(notice: NoticeDocument): UndeliveredNotice[] {
  const { jobId, pk: partitionKey, workflow, seq, kind, replyTo, at, attention, resends } = notice
  if (attention === null) return []
  const { since, message } = attention
  const receiver = receiverOf(replyTo)
  return [{ jobId, partitionKey, workflow, seq, kind, receiver, at, since, message, resends }]
}
