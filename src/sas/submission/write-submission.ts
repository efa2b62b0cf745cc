import type { JobDocument, StepDocument } from '../model/documents.js'
import { jobDocumentId } from '../model/document-ids.js'
import { isStaged } from '../model/process-state.js'
import { decodeDocument, type Decoded } from '../model/decode.js'
import { JobConflict, StoreUnavailable, SubmissionInvalid } from '../model/errors.js'
import {
  asStored,
  replacing,
  type ApplyResult,
  type StateDocument,
  type StateStore,
  type StateWrite,
  type Stored,
} from '../store/state-store.js'
import { planHash } from '../plan/payload.js'
import { begunWriting, type BeginSubmission, type Writing } from './begun-submission.js'
import { withPlannedSteps } from './planned-submission.js'
import { intended, stage, submit, type SubmitRequest } from './submit.js'
import { bytesOf, fits, grouped, maxOperations, maxTransactionBytes } from '../store/transaction.js'
import { readableJob } from '../store/unreadable-jobs.js'

/** The number of tries of a transaction while the store does not answer and the job does not exist. */
const maxTries = 3
/**
 * The number of tries of a submission in stages. A try also fails if another process writes the same job
 * first.
 */
const maxStagedTries = 6

/** An accepted job and the documents of its steps as they were written, and their physical range. */
export interface AcceptedJob {
  readonly job: Stored<JobDocument>
  readonly steps: readonly Stored<StepDocument>[]
  readonly physicalRangeId: string | null
  /** Whether the same transaction has begun the job, so that its first steps are dispatched. */
  readonly isBegun: boolean
}

export interface Submitted {
  readonly isNew: boolean
  /** The stored documents if this call wrote all of them in one confirmed transaction. Otherwise null. */
  readonly accepted: AcceptedJob | null
}

const standingAlready: Submitted = { isNew: false, accepted: null }

/**
 * Tries to write a submission until the job is stored. After a refused or unanswered write, reads the store
 * to find the result of the write (F-S2 to F-S6). A submission that is too large for one transaction is
 * written in stages.
 *
 * @throws SubmissionInvalid if the submission is invalid or too large even for stages; nothing was written
 * @throws JobConflict if the id belongs to another submission, or if a document alongside already exists
 * @throws JobUnreadable if the job exists and its document cannot be read
 * @throws StoreUnavailable if the store could not be reached; submit again with the same id
 */
export async function ensureSubmitted(
  store: StateStore,
  request: SubmitRequest,
  begin: BeginSubmission = () => null,
): Promise<Submitted> {
  const writes = submit(request)
  const decoded = readable(request, writes)
  refuseSameIds(request, writes)
  if (!fits(writes)) return submitInStages(store, request)
  const submitted = { writes, decoded }
  // A deadline counts from the try that is stored, so each try decides again.
  return submitAtOnce(store, request, async (mayBegin) => {
    const begun = mayBegin ? await begunWriting(submitted, begin) : null
    return { ...withPlannedSteps(begun ?? submitted, submitted, request.plan), isBegun: begun !== null }
  })
}

async function submitAtOnce(
  store: StateStore,
  request: SubmitRequest,
  writing: (mayBegin: boolean) => Promise<Writing & Pick<AcceptedJob, 'isBegun'>>,
): Promise<Submitted> {
  let mayBegin = true
  for (let tries = 0; tries < maxTries; tries += 1) {
    const { isBegun, ...written } = await writing(mayBegin)
    const { decoded, limits } = written
    const result = await applied(store, request, written)
    if (result.kind === 'applied') {
      const etags = result.etags.slice(limits?.writes.length ?? 0)
      return { isNew: true, accepted: acceptedAs(decoded, { ...result, etags }, isBegun) }
    }
    if ((await standing(store, request)) !== null) return standingAlready
    if (result.kind !== 'conflict') continue
    // Another process has changed a limit first. The scheduler begins the job after its submission.
    if (limits?.writes.some(({ document }) => document.id === result.id) === true) {
      mayBegin = false
      continue
    }
    const steps = await store.listSteps(request.partition, request.jobId)
    if (steps.some((step) => step.id === result.id && isLeftOver(step))) return submitInStages(store, request)
    throw existsAlready(request, result.id)
  }
  throw unanswered(request)
}

/** Writes the transaction, and ends the changes of limits that are a part of it. */
async function applied(
  store: StateStore,
  { partition }: SubmitRequest,
  { writes, limits, withdraw }: Writing,
): Promise<ApplyResult> {
  let etags: readonly string[] | null = null
  try {
    const result = await store.apply(partition, writes)
    if (result.kind === 'applied') etags = result.etags
    return result
  } finally {
    limits?.end(etags)
    if (etags === null) withdraw?.()
  }
}

/** Checks whether an ended job with the same id left this step behind. Such a step has a time to live. */
function isLeftOver({ ttl }: StepDocument): boolean {
  return ttl !== -1
}

function acceptedAs(
  decoded: readonly Decoded[],
  { etags, physicalRangeId }: ApplyResult & { kind: 'applied' },
  isBegun: boolean,
): AcceptedJob | null {
  let job: Stored<JobDocument> | null = null
  const steps: Stored<StepDocument>[] = []
  for (const [index, document] of decoded.entries()) {
    const version = { _etag: etags[index] ?? '', _ts: 0 }
    if (document.kind === 'job') job = asStored(document.job, version)
    if (document.kind === 'step') steps.push(asStored(document.step, version))
  }
  return job === null ? null : { job, steps, physicalRangeId, isBegun }
}

/**
 * Writes the job without its intent, then the steps in as many transactions as necessary. The last
 * transaction writes the intent together with the user's documents (I1, I14). If the process dies before the
 * last transaction, nothing runs. A repeated submission then continues at the point where the first
 * submission stopped (F-S7). Each transaction depends on the job's etag, so nothing is added to a job that
 * was given up meanwhile (F-S8).
 */
async function submitInStages(store: StateStore, request: SubmitRequest): Promise<Submitted> {
  const { partition, now } = request
  // Instances of an older version do not know these parts, and no step depends on them.
  const { output: _output, inputSchema: _inputSchema, ...plan } = request.plan
  const hash = planHash(plan)
  const { job, steps, received, alongside } = stage(request, hash)
  refuseOversized(request, creating([job, ...alongside, ...received]))
  // If the largest step fits into a transaction, every step fits.
  const largest = [...steps].sort((a, b) => bytesOf(b) - bytesOf(a)).slice(0, 1)
  refuseOversized(request, creating([job, ...largest]))
  for (let tries = 0; tries < maxStagedTries; tries += 1) {
    const there = (await standing(store, request)) ?? (await beginning(store, request, job))
    if (there === null) continue
    if (!isStaged(there)) return standingAlready
    if (there.planHash !== hash) throw begunOtherwise(request)
    // This try continues with the values of the first try, which the stored job contains.
    const { notify: _notify, ...own } = request
    const { orderId, priority, replyTo, notify } = there
    const begun = stage({ ...own, orderId, priority, replyTo, ...(notify && { notify }) }, hash)
    const present = await store.listSteps(partition, request.jobId)
    const complete = await withSteps(store, there, missingSteps(begun.steps, present))
    if (complete === null) continue
    const result = await store.apply(partition, [
      replacing(complete, intended(complete, now)),
      ...creating([...alongside, ...begun.received]),
    ])
    if (result.kind === 'applied') return { isNew: true, accepted: null }
    if (result.kind === 'conflict' && result.reason === 'exists') throw existsAlready(request, result.id)
  }
  throw unanswered(request)
}

/** Creates the staged job. Returns null if the write was not confirmed, so that the caller reads the job. */
async function beginning(
  store: StateStore,
  { partition }: SubmitRequest,
  job: JobDocument,
): Promise<Stored<JobDocument> | null> {
  const result = await store.apply(partition, creating([job]))
  return result.kind === 'applied' ? { ...job, _etag: result.etags[0] ?? '', _ts: 0 } : null
}

/** Returns the writes for missing steps, and for steps that an earlier job left. */
export function missingSteps(
  steps: readonly StepDocument[],
  present: readonly Stored<StepDocument>[],
): readonly StateWrite[] {
  const known = new Map(present.map((step) => [step.id, step]))
  return steps.flatMap((step) => {
    const there = known.get(step.id)
    if (there === undefined) return creating([step])
    return isLeftOver(there) ? [replacing(there, step)] : []
  })
}

/** Writes the missing steps and returns the staged job. Returns null if a write was not applied. */
export async function withSteps(
  store: StateStore,
  staged: Stored<JobDocument>,
  missing: readonly StateWrite[],
): Promise<Stored<JobDocument> | null> {
  let job = staged
  for (const group of grouped(missing, staged)) {
    const next = { ...job, fence: job.fence + 1 }
    const result = await store.apply(job.pk, [replacing(job, next), ...group])
    if (result.kind !== 'applied') return null
    job = { ...next, _etag: result.etags[0] ?? '' }
  }
  return job
}

/** Reads the job of this submission, or returns null. Throws if another submission wrote the stored job. */
async function standing(store: StateStore, request: SubmitRequest): Promise<Stored<JobDocument> | null> {
  const { jobId, partition, payloadHash } = request
  const job = await readableJob(store, { pk: partition, id: jobDocumentId(jobId) })
  if (job === null) return null
  if (job.payloadHash !== payloadHash) {
    throw new JobConflict(jobId, `${nameOf(request)} already exists with another payload; use another id`)
  }
  if (isStaged(job) && job.endedAtMs !== null) {
    const message =
      `${nameOf(request)}: an earlier submission was never completed and is being ` +
      'removed; submit it again'
    throw new StoreUnavailable(message, { cause: null, retryAfterMs: Math.max(job.ttl, 1) * 1_000 })
  }
  return job
}

function begunOtherwise(request: SubmitRequest): JobConflict {
  const rule = 'its submission was begun with another version of its workflow; use another id'
  return new JobConflict(request.jobId, `${nameOf(request)}: ${rule}`)
}

function refuseOversized({ jobId }: SubmitRequest, writes: readonly StateWrite[]): void {
  if (fits(writes)) return
  throw new SubmissionInvalid(
    `job ${JSON.stringify(jobId)} needs ${writes.length} documents of ${bytesOf(writes)} bytes in one ` +
      `transaction; at most ${maxOperations} documents and ${maxTransactionBytes} bytes are possible: ` +
      'submit large inputs by reference, or give clients and hosts the option payloads',
  )
}

/**
 * Decodes the documents as their readers will. A plan that was edited or made by other code may give an
 * unreadable document. The store would accept such a document, but the job would never run (I1).
 */
function readable({ jobId }: SubmitRequest, writes: readonly StateWrite[]): readonly Decoded[] {
  const decoded = writes.map(({ document }) => decodeDocument(document))
  const problems = decoded.flatMap((document, index) =>
    document.kind === 'invalid' ? [`${writes[index]?.document.id ?? ''}: ${document.reason}`] : [],
  )
  if (problems.length === 0) return decoded
  throw new SubmissionInvalid(`job ${JSON.stringify(jobId)} could not be read: ${problems.join('; ')}`)
}

/** Refuses documents with the same id, because the store would report that a document already exists. */
function refuseSameIds({ jobId }: SubmitRequest, writes: readonly StateWrite[]): void {
  const ids = writes.map(({ document }) => document.id)
  const twice = [...new Set(ids.filter((id, index) => ids.indexOf(id) < index))]
  if (twice.length === 0) return
  const named = twice.map((id) => JSON.stringify(id)).join(', ')
  throw new SubmissionInvalid(`job ${JSON.stringify(jobId)} has two documents with the id ${named}`)
}

function existsAlready(request: SubmitRequest, documentId: string): JobConflict {
  const rule = 'exists already without a job; remove it, or submit without it'
  return new JobConflict(request.jobId, `${nameOf(request)}: document ${JSON.stringify(documentId)} ${rule}`)
}

function unanswered(request: SubmitRequest): StoreUnavailable {
  const message =
    `${nameOf(request)}: the store did not say whether the submission was accepted; ` +
    'submit the job again with the same id'
  return new StoreUnavailable(message, { cause: null })
}

function nameOf({ jobId }: SubmitRequest): string {
  return `job ${JSON.stringify(jobId)}`
}

function creating(documents: readonly StateDocument[]): StateWrite[] {
  return documents.map((document) => ({ kind: 'create', document }))
}
