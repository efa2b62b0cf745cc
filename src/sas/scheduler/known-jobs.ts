import type { Change } from '../../change-feed-processor/index.js'
import type { JobDocument, StepDocument } from '../model/documents.js'
import { jobDocumentId, stepDocumentId } from '../model/document-ids.js'
import { decodeDocument, type Decoded } from '../model/decode.js'
import { RecentDocuments } from './recent-documents.js'
import { isOver } from '../decisions/retention.js'
import type { DocumentAddress, StateStore, Stored } from '../store/state-store.js'
import type { AcceptedJob } from '../submission/submission.js'
import { readJob } from '../store/update-document.js'

/** Memory for each kind of document, enough for about 10,000 documents with 1 KB of JSON. */
const rememberedBytes = 32 * 2 ** 20

/** A document as it was written, and the etag of the version before. */
export interface Replaced<T> {
  readonly document: Stored<T>
  readonly replacedEtag: string
}

/** A step that a decision needs, but that cannot be read. */
export interface UnreadableStep {
  readonly stepId: string
  /** By this version of the code: newer code wrote it. */
  readonly isNewer: boolean
  readonly message: string
}

/** What a scheduler has seen or written of its jobs lately; what is missing is read. It may be old. */
export class KnownJobs {
  private readonly jobs = new RecentDocuments<JobDocument>(rememberedBytes)
  private readonly steps = new RecentDocuments<StepDocument>(rememberedBytes)

  constructor(private readonly store: StateStore) {}

  /** A job and its steps as they were accepted. */
  putAccepted({ job, steps }: AcceptedJob): void {
    this.jobs.put(job)
    for (const step of steps) this.steps.put(step)
  }

  /** A job and steps of it, each in place of the version with the etag beside it. */
  putWritten(job: Replaced<JobDocument>, steps: readonly Replaced<StepDocument>[]): void {
    for (const step of steps) this.steps.putWritten(step.document, step.replacedEtag)
    this.jobs.putWritten(job.document, job.replacedEtag)
    // That it has ended is worth knowing when its steps come in the feed; they are not.
    if (isOver(job.document)) this.forgetSteps(job.document)
  }

  /**
   * What the feed brings, remembered. A version that was read or written here before is not decoded again, and what is
   * answered may be newer. Null for a step of a job that is over, as far as we know: nothing follows from it.
   */
  note(change: Change): Decoded | null {
    const { pk, type, jobId, id, _etag, _ts } = change
    if (typeof pk === 'string') {
      if (type === 'sas.step' && typeof jobId === 'string') {
        const ofJob = this.jobs.get({ pk, id: jobDocumentId(jobId) })
        if (ofJob !== undefined && isOver(ofJob)) return null
      }
      const job = this.jobs.recognised({ pk, id, _etag })
      if (job !== undefined) return { kind: 'job', job }
      const step = this.steps.recognised({ pk, id, _etag })
      if (step !== undefined) return { kind: 'step', step }
    }
    const decoded = decodeDocument(change)
    if (decoded.kind === 'job') this.putJob({ ...decoded.job, _etag, _ts })
    // Forgets the remembered version: the stored document has changed.
    if (decoded.kind === 'invalid' && typeof pk === 'string') this.jobs.forget({ pk, id })
    if (decoded.kind === 'step') this.steps.put({ ...decoded.step, _etag, _ts })
    return decoded
  }

  async job(address: DocumentAddress): Promise<Stored<JobDocument> | null> {
    const known = this.jobs.get(address)
    if (known !== undefined) return known
    const job = await readJob(this.store, address)
    if (job !== null) this.jobs.put(job)
    return job
  }

  /** The step if it is remembered. */
  step(job: JobDocument, stepId: string): Stored<StepDocument> | undefined {
    return this.steps.get(stepAddress(job, stepId))
  }

  /** All steps of the job that are remembered. */
  stepsOf(job: JobDocument): Map<string, Stored<StepDocument>> {
    const known = job.stepIds.flatMap((stepId): [string, Stored<StepDocument>][] => {
      const step = this.step(job, stepId)
      return step === undefined ? [] : [[stepId, step]]
    })
    return new Map(known)
  }

  /** Reads the step unless it is remembered; answers what kept it from being read. */
  async ensureStep(job: JobDocument, stepId: string): Promise<UnreadableStep[]> {
    if (this.step(job, stepId) !== undefined) return []
    const document = await this.store.read(stepAddress(job, stepId))
    if (document === null) return [{ stepId, isNewer: false, message: `step ${stepId} is gone` }]
    const decoded = decodeDocument(document)
    if (decoded.kind === 'step') {
      this.steps.put({ ...decoded.step, _etag: document._etag, _ts: document._ts })
      return []
    }
    const reason = decoded.kind === 'invalid' ? decoded.reason : 'it is no step'
    const message = `step ${stepId} cannot be read: ${reason}`
    return [{ stepId, isNewer: decoded.kind === 'newerSchema', message }]
  }

  forgetStep(job: JobDocument, stepId: string): void {
    this.steps.forget(stepAddress(job, stepId))
  }

  /** Nothing that is remembered of this job is to be trusted. */
  forget(job: JobDocument): void {
    this.jobs.forget(job)
    this.forgetSteps(job)
  }

  forgetSteps(job: JobDocument): void {
    for (const stepId of job.stepIds) this.forgetStep(job, stepId)
  }

  private putJob(job: Stored<JobDocument>): void {
    this.jobs.put(job)
    if (isOver(job)) this.forgetSteps(job)
  }
}

function stepAddress({ pk, jobId }: JobDocument, stepId: string): DocumentAddress {
  return { pk, id: stepDocumentId(jobId, stepId) }
}
