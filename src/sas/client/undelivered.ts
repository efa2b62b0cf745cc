import { compare } from '../../platform/internal.js'
import type { Clock } from '../../platform/index.js'
import type { Telemetry } from '../../telemetry/index.js'
import type { AuditEntry, NoticeDocument } from '../model/documents.js'
import { decodeDocument } from '../model/decode.js'
import { jobDocumentId } from '../model/document-ids.js'
import { hiddenText } from '../model/values/hidden.js'
import { concealerAmong } from '../plan/hide-documents.js'
import { readSteps } from '../store/read-steps.js'
import { CommandRefused, JobNotFound, StoreUnavailable } from '../model/errors.js'
import { receiverOf } from '../notifier/reply.js'
import { replacing, type StateStore, type Stored } from '../store/state-store.js'
import type { NoticeFilter } from '../store/filters/job-filter.js'
import type { JobQueries } from '../store/job-queries.js'
import type { JobPorts } from './job.js'

/** A notice that was given up, so the submitter of the job did not receive it. */
export interface UndeliveredNotice {
  readonly jobId: string
  readonly partitionKey: string
  readonly workflow: string
  /** The number of the notice within its job, from 1. */
  readonly seq: number
  /** The kind of event that the notice reports. */
  readonly kind: 'received' | 'started' | 'attention' | 'finished'
  /** The receiver: `container:NAME`, or the origin of a URL, because the rest may contain secrets. */
  readonly receiver: string
  /** The time of the reported event, ISO-8601 UTC. */
  readonly at: string
  /** The time when the notice was given up, ISO-8601 UTC. */
  readonly since: string
  /** The reason why the notice was given up. */
  readonly message: string
  /** The earlier requests to send the notice again, oldest first. */
  readonly resends: readonly Pick<AuditEntry, 'at' | 'by' | 'why'>[]
}

/** The largest number of notices that are read for one job. Every job has fewer. */
const mostOfOneJob = 1_000
/** The number of tries to write each notice. A try fails if another write came first. */
const maxTries = 6
/** The largest number of resend requests that a notice keeps. The oldest requests are dropped. */
const mostResends = 20

interface ResendDecision {
  readonly by: string
  readonly why: string
  readonly now: number
  readonly isDryRun: boolean
}

/** Returns the notices that were given up, the oldest first. */
export async function undelivered(
  queries: JobQueries,
  filter: NoticeFilter,
): Promise<readonly UndeliveredNotice[]> {
  const found = await queries.listUndelivered(filter)
  return found.flatMap(asUndelivered).sort((one, other) => compare(one.since, other.since))
}

/**
 * Requests another round of tries for each given-up notice of the job (W11). Later notices that were already
 * sent are not sent again, because receivers restore the order by `seq` (I13).
 *
 * @returns the number of these notices
 * @throws CommandRefused if no notice was given up; nothing was written
 * @throws JobNotFound if the job does not exist; nothing was written
 */
export async function resend(
  { store, queries, clock, telemetry }: JobPorts & { readonly clock: Clock; readonly telemetry: Telemetry },
  jobId: string,
  given: Omit<ResendDecision, 'now'>,
): Promise<readonly NoticeDocument[]> {
  const notices = await queries.listUndelivered({ jobId, limit: mostOfOneJob })
  if (notices.length === 0) {
    if ((await queries.findJob(jobId)) === null) throw new JobNotFound(jobId)
    throw new CommandRefused(jobId, `no notice of job ${JSON.stringify(jobId)} was given up`)
  }
  if (given.isDryRun) return notices
  // Jobs in several partitions may have this id.
  let { why } = given
  for (const pk of new Set(notices.map((notice) => notice.pk)))
    why = (await concealerOf(store, pk, jobId))(why)
  const decision = { ...given, why, now: clock.now() }
  for (const notice of notices) await resendOne(store, notice, decision)
  for (const { workflow } of notices.slice(0, 1))
    telemetry.emit({ type: 'job.operated', jobId, workflow, command: 'resend', by: given.by, why })
  return notices
}

/**
 * Returns a function that hides the secrets of a job in a text that is stored. Of a job that cannot be read, the secrets
 * are unknown, so it hides the whole text.
 */
async function concealerOf(store: StateStore, pk: string, jobId: string): Promise<(text: string) => string> {
  const document = await store.read({ pk, id: jobDocumentId(jobId) })
  if (document === null) return (text) => text
  const decoded = decodeDocument(document)
  if (decoded.kind !== 'job') return () => hiddenText
  return concealerAmong([decoded.job], await readSteps(store, decoded.job))
}

/**
 * Requests another round of tries for one notice, unless this was already requested or the notice was sent.
 */
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
  const message = `notice ${notice.id}: another writer changed it first in each of ${maxTries} tries`
  throw new StoreUnavailable(message, { cause: null })
}

/** Returns the notice as it was before its first try, with the decision added. */
function toBeSent(notice: NoticeDocument, { by, why, now }: ResendDecision): NoticeDocument {
  const resends = [...notice.resends, { at: new Date(now).toISOString(), by, why }].slice(-mostResends)
  return { ...notice, completeByMs: now, failureCount: 0, attention: null, resends, operatedAtMs: now }
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
