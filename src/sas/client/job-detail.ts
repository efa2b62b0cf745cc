import type { JobDocument, Json, NoticeDocument, StepDocument } from '../model/documents.js'
import { JobNotFound } from '../model/errors.js'
import { readPlaceAtLimit } from '../gates/place-ahead.js'
import { readSteps } from '../store/read-steps.js'
import { readableJob } from '../store/unreadable-jobs.js'
import { receiverOf } from '../notifier/reply.js'
import type { JobQueries } from '../store/job-queries.js'
import type { DocumentAddress } from '../store/state-store.js'
import type { JobPorts } from './job.js'
import { hideDocuments, withoutHashes } from '../plan/hide-documents.js'
import { bytesOf } from '../store/transaction.js'
import { documentCost } from './cost/cost.js'
import { hasDocument } from '../model/planned/planned-steps.js'
import type { Interval } from '../waiting/interval.js'
import { intervalsOf } from '../waiting/step-intervals.js'
import { viewOf, type JobView, type StepView } from './job-view.js'
import type { Moment } from './why-not-further.js'

/** A step with the fields that explain its past and what it waits for. */
export interface StepDetail extends StepView {
  readonly kind: StepDocument['kind']
  readonly direction: StepDocument['direction']
  /** The input with references to outputs of other steps. */
  readonly inputTemplate: Json
  readonly idempotencyKey: string
  /** The result of the newest attempt, or null. */
  readonly outcome: StepDocument['outcome']
  readonly lockedBy: string | null
  /** The operation that undoes the step, or null if the step cannot be undone. */
  readonly undo: { readonly operation: string; readonly whenUncertain: boolean } | null
  /** The output of the round before, or null. */
  readonly previous: Json
  readonly cost: ComputedCost
}

/**
 * What the writes of a document cost, computed from its size and the number of its versions. The store does not
 * keep what it has charged. Versions without an attempt, such as those of an extended wait, are not counted.
 */
export interface ComputedCost {
  readonly writes: number
  readonly charge: number
}

/** A notice of a job, as shown to people. */
export interface NoticeDetail extends Pick<
  NoticeDocument,
  'seq' | 'kind' | 'state' | 'at' | 'sentAt' | 'failureCount' | 'attention' | 'resends'
> {
  readonly receiver: string
}

/** A job with its input, its notices, and steps in detail. */
export interface JobDetail extends Omit<JobView, 'steps'> {
  readonly priority: number
  /** The deadline, ISO-8601 UTC, or null. */
  readonly completeBy: string | null
  readonly diagnostics: JobDocument['diagnostics']
  readonly notices: readonly NoticeDetail[]
  /** The cost of the document of the job, without its steps. */
  readonly cost: ComputedCost
  /** What the job and its steps did, and since when. */
  readonly intervals: readonly Interval[]
  readonly steps: readonly StepDetail[]
}

/**
 * Reads a job with its steps and notices, as people may see them: without secret values.
 *
 * @throws JobNotFound if the job does not exist
 * @throws JobUnreadable if its document cannot be read
 */
export async function readJobDetail(
  { store, clock }: Pick<JobPorts, 'store' | 'clock'>,
  address: DocumentAddress & { readonly jobId: string },
): Promise<JobDetail> {
  const job = await readableJob(store, address)
  if (job === null) throw new JobNotFound(address.jobId)
  const [steps, notices] = await Promise.all([
    readSteps(store, job),
    job.replyTo === null ? [] : store.listNotices(job.pk, job.jobId),
  ])
  const atLimit = await readPlaceAtLimit(store, job, steps)
  const hidden = hideDocuments(job, steps)
  const told = notices.map((notice) => ({
    ...notice,
    attention: notice.attention && {
      ...notice.attention,
      message: hidden.conceal(notice.attention.message),
    },
  }))
  return detailOf(hidden.job, hidden.steps, { notices: told, now: clock.now(), atLimit })
}

/** The largest number of documents of users that are shown. */
const mostOthers = 50
/** The largest number of pages that are read to find them. */
const mostPages = 3

/** A document in the partition of a job that is neither a job nor a part of one. */
export interface OtherDocument {
  readonly id: string
  /** Null if the job has secrets, because a document of a user may contain them anywhere. */
  readonly document: object | null
}

/** The documents of a job as they are stored, without secret values. */
export interface JobDocuments {
  readonly job: object
  readonly steps: readonly object[]
  /** The documents of users in the same partition. Null if they were not asked for. */
  readonly others: { readonly documents: readonly OtherDocument[]; readonly isCut: boolean } | null
}

/**
 * Reads the documents of a job, as people may see them: without secret values, and without hashes of them.
 *
 * @throws JobNotFound if the job does not exist
 * @throws JobUnreadable if its document cannot be read
 */
export async function readJobDocuments(
  { store, queries }: Pick<JobPorts, 'store'> & { readonly queries: Pick<JobQueries, 'follow'> | null },
  address: DocumentAddress & { readonly jobId: string },
): Promise<JobDocuments> {
  const job = await readableJob(store, address)
  if (job === null) throw new JobNotFound(address.jobId)
  const steps = await readSteps(store, job)
  const hidden = hideDocuments(job, steps)
  const isSecret = job.secrets !== undefined || steps.some(({ secrets }) => secrets !== undefined)
  return {
    job: isSecret ? withoutHashes(hidden.job) : hidden.job,
    steps: hidden.steps.filter(({ stepId }) => hasDocument(job, stepId)),
    others: queries === null ? null : await othersIn(queries, address.pk, isSecret),
  }
}

async function othersIn(
  queries: Pick<JobQueries, 'follow'>,
  partition: string,
  isSecret: boolean,
): Promise<JobDocuments['others']> {
  const feed = queries.follow(partition)
  const found: OtherDocument[] = []
  let isDrained = false
  for (let page = 0; page < mostPages && found.length <= mostOthers && !isDrained; page += 1) {
    const documents = await feed.readNext()
    isDrained = documents.length === 0
    const own = documents.filter(({ type }) => typeof type !== 'string' || !type.startsWith('sas.'))
    found.push(...own.map((document) => ({ id: document.id, document: isSecret ? null : document })))
  }
  return { documents: found.slice(0, mostOthers), isCut: !isDrained || found.length > mostOthers }
}

function detailOf(
  job: JobDocument,
  steps: readonly StepDocument[],
  { notices, ...moment }: Moment & { readonly notices: readonly NoticeDocument[] },
): JobDetail {
  const byId = new Map(steps.map((step) => [step.stepId, step]))
  const view = viewOf(job, steps, moment)
  return {
    ...view,
    priority: job.priority,
    cost: costOf(
      job,
      1 + steps.reduce((sum, { dispatch }) => sum + dispatch, 0) + (job.endedAt === null ? 0 : 1),
    ),
    intervals: intervalsOf(job, steps, moment.now),
    completeBy: job.completeBy,
    diagnostics: job.diagnostics,
    notices: notices.map(noticeDetailOf).sort((one, other) => one.seq - other.seq),
    steps: view.steps.flatMap((shown) => {
      const step = byId.get(shown.stepId)
      if (step === undefined) return []
      const writes = hasDocument(job, step.stepId) ? writesOf(step) : 0
      return [{ ...shown, ...partsOf(step), cost: costOf(step, writes) }]
    }),
  }
}

function partsOf(step: StepDocument): Omit<StepDetail, keyof StepView | 'cost'> {
  const { kind, direction, inputTemplate, idempotencyKey, outcome, lockedBy, undo } = step
  return {
    kind,
    direction,
    inputTemplate,
    idempotencyKey,
    outcome,
    lockedBy,
    undo: undo && { operation: `${undo.actor}.${undo.action}`, whenUncertain: undo.whenUncertain },
    previous: step.round?.previous ?? null,
  }
}

/**
 * Returns how often a step is written. Each dispatch is followed by an outcome, and preceded by a claim if the step needs
 * one. The first dispatch creates the document, except that of a step that waits for an event.
 */
function writesOf({ dispatch, isClaimRequired, kind }: StepDocument): number {
  return dispatch * (isClaimRequired ? 3 : 2) + (kind === 'waitFor' ? 1 : 0)
}

function costOf(document: JobDocument | StepDocument, writes: number): ComputedCost {
  return { writes, charge: writes === 0 ? 0 : documentCost(bytesOf(document), writes - 1) }
}

function noticeDetailOf(notice: NoticeDocument): NoticeDetail {
  const { seq, kind, state, at, sentAt, failureCount, attention, resends, replyTo } = notice
  return {
    seq,
    kind,
    state,
    at,
    sentAt,
    failureCount,
    attention,
    resends,
    receiver: receiverOf(replyTo),
  }
}
