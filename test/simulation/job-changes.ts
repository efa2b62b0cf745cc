import type { Container, VersionFields } from '../../src/emulator/engine/index.js'
import type { JobDocument, StepDocument } from '../../src/sas/model/documents.js'
import { begunInJob, plannedSteps } from '../../src/sas/model/planned/planned-steps.js'
import { jobDocumentId, stepDocumentId } from '../../src/sas/model/document-ids.js'
import type { Written } from '../../src/testing/events.js'
import type { Request } from '../../src/testing/network.js'

/** One write of a job or step, with the other documents of the job as the same transaction left them. */
export interface Change<T extends JobDocument | StepDocument> {
  /** The earlier version, or null when the document was created. A step may have been planned in its job before. */
  readonly before: (T & { readonly _ts: number }) | null
  readonly after: T
  readonly by: Request | null
  readonly job: JobDocument | null
  readonly steps: ReadonlyMap<string, StepDocument>
  /** The steps that have documents. The others are planned in the job. */
  readonly stored: ReadonlyMap<string, StepDocument>
}

export type JobChange = Change<JobDocument>
export type StepChange = Change<StepDocument>

/** An invariant about single writes. Returns the problem of a write, or null. */
export type Rule<T extends JobDocument | StepDocument> = (change: Change<T>) => string | null

/** Returns the id of the document that scenarios create with a job. */
export function orderIdOf(jobId: string): string {
  return `order-${jobId}`
}

/** The current documents of a container. Parses the same version only once. */
export class JobDocuments {
  private readonly parsed = new WeakMap<VersionFields, Readonly<Record<string, unknown>>>()
  /** The steps that had no document when their job was last written, by partition and id. */
  private readonly planned = new Map<string, StepDocument>()

  constructor(private readonly container: () => Container) {}

  parse(version: VersionFields): Readonly<Record<string, unknown>> {
    const known = this.parsed.get(version)
    if (known !== undefined) return known
    const document = JSON.parse(version.text) as Readonly<Record<string, unknown>>
    this.parsed.set(version, document)
    return document
  }

  job(pk: string, jobId: string): JobDocument | null {
    return this.find(pk, jobDocumentId(jobId)) as JobDocument | null
  }

  step(pk: string, jobId: string, stepId: string): StepDocument | null {
    return this.find(pk, stepDocumentId(jobId, stepId)) as StepDocument | null
  }

  /** Returns the steps of a job that have documents, and those that the job has planned. */
  steps(job: JobDocument): ReadonlyMap<string, StepDocument> {
    return new Map([...plannedSteps(job), ...this.stored(job)])
  }

  /** Returns the steps of a job that have documents. */
  stored(job: JobDocument): ReadonlyMap<string, StepDocument> {
    const found = job.stepIds.flatMap((stepId) => {
      const step = this.step(job.pk, job.jobId, stepId)
      return step === null ? [] : [[stepId, step] as const]
    })
    return new Map(found)
  }

  /** Checks whether the document that scenarios create with their jobs exists. */
  hasOrder({ pk, jobId }: JobDocument): boolean {
    // The partition of most jobs has the id of the job, and its restarts are in the same partition.
    return this.find(pk, orderIdOf(pk)) !== null || this.find(pk, orderIdOf(jobId)) !== null
  }

  /**
   * Returns the change in the form that rules use, or null for a document that is neither a job nor a step.
   */
  change({ before, after, by }: Written): JobChange | StepChange | null {
    if (after === null) return null
    const document = this.parse(after) as unknown as JobDocument | StepDocument
    if (!isOurs(document)) return null
    const job = this.job(document.pk, document.jobId)
    const place = `${document.pk} ${document.id}`
    const was = before === null ? (this.planned.get(place) ?? null) : this.parse(before)
    if (document.type === 'sas.job') this.notePlanned(document)
    const steps = job === null ? new Map<string, StepDocument>() : this.steps(job)
    const stored = job === null ? steps : this.stored(job)
    return { before: was, after: document, by, job, steps, stored } as JobChange | StepChange
  }

  /** Returns the attempts that begin with the write of a job, without documents of their steps. Call it before `change`. */
  begun({ after, by }: Written): readonly StepChange[] {
    const job = after === null ? null : (this.parse(after) as unknown as JobDocument)
    if (job?.type !== 'sas.job') return []
    const known = { by, job, steps: this.steps(job), stored: this.stored(job) }
    return begunInJob(job).flatMap((step) => {
      const before = this.planned.get(`${step.pk} ${step.id}`) ?? null
      return (before?.fence ?? 0) < step.fence ? [{ before, after: step, ...known } as StepChange] : []
    })
  }

  private notePlanned(job: JobDocument): void {
    for (const [, step] of plannedSteps(job)) this.planned.set(`${step.pk} ${step.id}`, step)
  }

  private find(pk: string, id: string): Readonly<Record<string, unknown>> | null {
    const version = this.container().find([pk], id)
    return version === undefined ? null : this.parse(version.fields)
  }
}

function isOurs({ type }: { readonly type: string }): boolean {
  return type === 'sas.job' || type === 'sas.step'
}

export function isJobChange(change: JobChange | StepChange): change is JobChange {
  return change.after.type === 'sas.job'
}
