import { isTerminal, stepDocumentId, type JobDocument, type StepDocument } from './documents.js'
import { RecentDocuments } from './recent-documents.js'
import type { DocumentAddress, StateStore, Stored } from './state-store.js'
import { readJob, readStep } from './update-document.js'

/** Documents remembered of each kind; at about 1 KB each. */
const rememberedDocuments = 10_000

/** A document as it was written, and the etag of the version before. */
export interface Replaced<T> {
  readonly document: Stored<T>
  readonly replacedEtag: string
}

/** What a scheduler has seen or written of its jobs lately; what is missing is read. It may be old. */
export class KnownJobs {
  private readonly jobs = new RecentDocuments<JobDocument>(rememberedDocuments)
  private readonly steps = new RecentDocuments<StepDocument>(rememberedDocuments)

  constructor(private readonly store: StateStore) {}

  putJob(job: Stored<JobDocument>): void {
    this.jobs.put(job)
    if (isTerminal(job)) this.forgetSteps(job)
  }

  putStep(step: Stored<StepDocument>): void {
    this.steps.put(step)
  }

  /** A job and steps of it, each in place of the version with the etag beside it. */
  putWritten(job: Replaced<JobDocument>, steps: readonly Replaced<StepDocument>[]): void {
    for (const step of steps) this.steps.putWritten(step.document, step.replacedEtag)
    this.jobs.putWritten(job.document, job.replacedEtag)
    // That it has ended is worth knowing when its steps come in the feed; they are not.
    if (isTerminal(job.document)) this.forgetSteps(job.document)
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

  /** Reads the step unless it is remembered. */
  async ensureStep(job: JobDocument, stepId: string): Promise<void> {
    if (this.step(job, stepId) !== undefined) return
    const step = await readStep(this.store, stepAddress(job, stepId))
    if (step !== null) this.steps.put(step)
  }

  forgetStep(job: JobDocument, stepId: string): void {
    this.steps.forget(stepAddress(job, stepId))
  }

  /** Nothing that is remembered of this job is to be trusted. */
  forget(job: JobDocument): void {
    this.jobs.forget(job)
    this.forgetSteps(job)
  }

  private forgetSteps(job: JobDocument): void {
    for (const stepId of job.stepIds) this.forgetStep(job, stepId)
  }
}

function stepAddress({ pk, jobId }: JobDocument, stepId: string): DocumentAddress {
  return { pk, id: stepDocumentId(jobId, stepId) }
}
