import type { ChangeFields, StateChange } from '../../model/delivered/state-change.js'
import type { JobDocument, StepDocument } from '../../model/documents.js'
import { jobDocumentId, stepDocumentId } from '../../model/document-ids.js'
import { plannedSteps } from '../../model/planned/planned-steps.js'
import { wholeJob } from '../../gates/job-place.js'
import { decodeDocument, type Decoded } from '../../model/decode.js'
import { decodeDelivered } from '../../model/delivered/decode-delivered.js'
import type { SeenVersions } from './changed-jobs.js'
import { EndedJobs } from './ended-jobs.js'
import { ForeseenJobs } from './foreseen-jobs.js'
import { RecentDocuments } from './recent-documents.js'
import { isOver } from '../../model/is-over.js'
import { asStored, type DocumentAddress, type StateStore, type Stored } from '../../store/state-store.js'
import type { AcceptedJob } from '../../submission/write-submission.js'
import { readJob } from '../../store/update-document.js'

/** The memory for each kind of document, enough for about 10,000 documents of 1 KB of JSON. */
const rememberedBytes = 32 * 2 ** 20

/** A written document, with the etag of the version that it replaced. */
export interface Replaced<T> {
  readonly document: Stored<T>
  readonly replacedEtag: string
}

/** A step that a decision needs, but that cannot be read. */
export interface UnreadableStep {
  readonly stepId: string
  readonly isNewer: boolean
  readonly message: string
}

/**
 * Remembers the documents that a scheduler has recently read or written, and reads other documents when
 * needed. A remembered document may be old. It may even be older than a version that was delivered before,
 * because two leases whose ranges overlap, or a kept page of the feed, can deliver versions out of order. So
 * a decision names the versions that it has seen.
 */
export class KnownJobs {
  private readonly jobs = new RecentDocuments<JobDocument>(rememberedBytes)
  private readonly steps = new RecentDocuments<StepDocument>(rememberedBytes)
  private readonly foreseen = new ForeseenJobs()
  private readonly ended = new EndedJobs((address) => {
    const job = this.jobs.get(address)
    // An operator may have continued the job.
    if (job !== undefined && isOver(job)) this.jobs.forget(address)
  })

  constructor(private readonly store: StateStore) {}

  putAccepted({ job, steps }: AcceptedJob): void {
    this.put(job)
    for (const step of steps) this.steps.put(step)
  }

  /** Keeps the changes of unknown jobs, which the feed of this scheduler delivers later. */
  foresee(changes: readonly StateChange[]): void {
    this.foreseen.put(changes, (job) => this.jobs.get(job) !== undefined)
  }

  /** Remembers a written job and its steps, each in place of the version with `replacedEtag`. */
  putWritten(job: Replaced<JobDocument>, steps: readonly Replaced<StepDocument>[]): void {
    for (const step of steps) this.steps.putWritten(step.document, step.replacedEtag)
    this.jobs.putWritten(job.document, job.replacedEtag)
    // The ended job is still needed when the feed delivers its steps, and each step until the feed delivers it.
    const { document } = job
    if (!isOver(document)) return
    for (const stepId of document.stepIds) this.steps.forgetDelivered(stepAddress(document, stepId))
  }

  /**
   * Remembers a change from the feed and returns its document. If its version is known, the change is not
   * decoded again, and the returned document may be newer. Returns null for a step of a job that was over
   * when the step was written, because nothing follows from such a step.
   */
  note(change: StateChange): Decoded | null {
    const { pk, type, jobId, id, _etag } = change
    if (typeof pk === 'string') {
      if (type === 'sas.step' && typeof jobId === 'string') {
        const ofJob = this.jobs.get({ pk, id: jobDocumentId(jobId) })
        if (ofJob !== undefined && isOver(ofJob)) {
          if (this.isBeforeEnd({ pk, id, _etag }, change, ofJob)) return null
          this.jobs.forget(ofJob)
        }
      }
      const job = this.jobs.recognised({ pk, id, _etag })
      if (job !== undefined) {
        if (job._etag === _etag && isOver(job)) this.ended.note(job)
        return { kind: 'job', job }
      }
      const step = this.steps.recognised({ pk, id, _etag })
      if (step !== undefined) {
        this.steps.noteDelivered({ pk, id, _etag })
        return { kind: 'step', step }
      }
    }
    const decoded = decodeDelivered(change)
    if (decoded.kind === 'job') {
      this.foreseen.take(decoded.job)
      this.put(asStored(decoded.job, change))
      if (isOver(decoded.job)) this.forgetSteps(decoded.job)
      if (isOver(decoded.job)) this.ended.note(decoded.job)
    }
    // The remembered job is old, because the stored document has changed.
    if (decoded.kind === 'invalid' && typeof pk === 'string') this.jobs.forget({ pk, id })
    if (decoded.kind === 'step') {
      this.steps.put(asStored(decoded.step, change))
      this.steps.noteDelivered({ pk: decoded.step.pk, id, _etag })
    }
    return decoded
  }

  /** Returns the job. Reads it unless the version in `seen`, or a later one, is remembered. */
  async job(address: DocumentAddress, seen: SeenVersions): Promise<Stored<JobDocument> | null> {
    const known = rememberedSince(this.jobs, address, seen.job) ?? this.foreseenJob(address, seen)
    if (known !== undefined) return known
    const job = await readJob(this.store, address)
    if (job === null) return null
    this.put(job)
    seen.job = job._etag
    return job
  }

  /**
   * Returns the step as it is remembered, or as this version of the job has planned it. If the step is planned, a document
   * with a time to live is left over from an earlier job with this id.
   */
  step(job: JobDocument, stepId: string): Stored<StepDocument> | undefined {
    const remembered = this.steps.get(stepAddress(job, stepId))
    return remembered?.ttl === -1 ? remembered : (plannedSteps(job).get(stepId) ?? remembered)
  }

  /** Returns the job as it is remembered. */
  remembered(address: DocumentAddress): Stored<JobDocument> | undefined {
    return this.jobs.get(address)
  }

  /** Returns the place at limits of a step, or of the job itself. */
  placeOf(job: JobDocument, stepId: string): StepDocument['place'] {
    return stepId === wholeJob ? this.jobs.get(job)?.place : this.step(job, stepId)?.place
  }

  /** Returns the remembered and the planned steps of a job in a new map, by step id. */
  stepsOf(job: JobDocument): Map<string, StepDocument> {
    const known = new Map<string, StepDocument>()
    for (const stepId of job.stepIds) {
      const step = this.step(job, stepId)
      if (step !== undefined) known.set(stepId, step)
    }
    return known
  }

  /**
   * Returns whether the version of the step in `seen`, or a later one, is remembered. If `seen` has no version, any
   * remembered or planned version is enough.
   */
  hasStep(job: JobDocument, stepId: string, seen: SeenVersions): boolean {
    const etag = seen.steps.get(stepId) ?? null
    if (etag === null) return this.step(job, stepId) !== undefined
    return rememberedSince(this.steps, stepAddress(job, stepId), etag) !== undefined
  }

  /** Reads the step unless {@link hasStep} holds. Returns the problem if the step cannot be read. */
  async ensureStep(job: JobDocument, stepId: string, seen: SeenVersions): Promise<UnreadableStep[]> {
    if (this.hasStep(job, stepId, seen)) return []
    const document = await this.store.read(stepAddress(job, stepId))
    if (document === null && plannedSteps(job).has(stepId)) {
      // What the feed delivered was left over, and has expired.
      seen.steps.delete(stepId)
      return []
    }
    if (document === null) return [{ stepId, isNewer: false, message: `step ${stepId} is gone` }]
    const decoded = decodeDocument(document)
    if (decoded.kind === 'step') {
      this.steps.put(asStored(decoded.step, document))
      seen.steps.set(stepId, document._etag)
      return []
    }
    const reason = decoded.kind === 'invalid' ? decoded.reason : 'it is not a step'
    const message = `step ${stepId} cannot be read: ${reason}`
    return [{ stepId, isNewer: decoded.kind === 'newerSchema', message }]
  }

  /** Checks whether a remembered step is ahead of the job's ledger. If so, this version of the job is old. */
  isAhead(job: JobDocument): boolean {
    return [...this.stepsOf(job).values()].some((step) => isDispatchedAfter(step, job))
  }

  forgetStep(job: JobDocument, stepId: string): void {
    this.steps.forget(stepAddress(job, stepId))
  }

  forgetJob(job: JobDocument): void {
    this.jobs.forget(job)
  }

  forget(job: JobDocument): void {
    this.forgetJob(job)
    this.forgetSteps(job)
  }

  forgetSteps(job: JobDocument): void {
    for (const stepId of job.stepIds) this.forgetStep(job, stepId)
  }

  /**
   * Checks whether this version of a step was written before or with the end of its job. Forgets the step if this is
   * its last known version, because the feed delivers that only once.
   */
  private isBeforeEnd(
    version: DocumentAddress & { readonly _etag: string },
    change: StateChange,
    job: Stored<JobDocument>,
  ): boolean {
    if (isDispatchedAfter(change, job)) return false
    // The time of a version that this process wrote is not known, but its etag is.
    const known = this.steps.recognised(version)
    if (known === undefined) return change._ts <= job._ts
    if (known._etag === version._etag) this.steps.forget(version)
    return true
  }

  /** Remembers a foreseen job with its steps, and returns the job. */
  private foreseenJob(address: DocumentAddress, seen: SeenVersions): Stored<JobDocument> | undefined {
    if (seen.job !== null) return undefined
    for (const change of this.foreseen.take(address)) {
      const decoded = decodeDelivered(change)
      if (decoded.kind === 'job') this.put(asStored(decoded.job, change))
      if (decoded.kind === 'step') this.steps.put(asStored(decoded.step, change))
    }
    return this.jobs.get(address)
  }

  /**
   * Remembers a job that was read, delivered or submitted. What is remembered of its planned steps is either newer than the
   * job, and can be read again, or was part of an earlier job with this id. So it is forgotten.
   */
  private put(job: Stored<JobDocument>): void {
    this.jobs.put(job)
    for (const { id } of job.planned ?? []) this.forgetStep(job, id)
  }
}

/** Returns the remembered document if it is the version with this etag or a later one. */
function rememberedSince<T extends DocumentAddress>(
  documents: RecentDocuments<T>,
  { pk, id }: DocumentAddress,
  etag: string | null,
): Stored<T> | undefined {
  return etag === null ? documents.get({ pk, id }) : documents.recognised({ pk, id, _etag: etag })
}

/**
 * Checks whether a step was dispatched after this version of its job. In the meantime, another instance may
 * have continued the job at the request of an operator.
 */
function isDispatchedAfter(
  { stepId, dispatch }: Pick<ChangeFields, 'stepId' | 'dispatch'>,
  { steps }: JobDocument,
): boolean {
  return typeof dispatch === 'number' && dispatch > (steps[String(stepId)]?.dispatch ?? 0)
}

function stepAddress({ pk, jobId }: JobDocument, stepId: string): DocumentAddress {
  return { pk, id: stepDocumentId(jobId, stepId) }
}
