import type { Clock } from '../../platform/index.js'
import type { SerialByKey } from '../../platform/internal.js'
import type { Telemetry } from '../../telemetry/index.js'
import { jobDocumentId } from '../model/document-ids.js'
import type { JobDocument, StepDocument } from '../model/documents.js'
import { StoreUnavailable } from '../model/errors.js'
import type { Visitor } from '../model/gate-documents.js'
import { isTerminal } from '../model/process-state.js'
import { changedJob, noneSeen, type ChangedJob } from './memory/changed-jobs.js'
import type { KnownJobs } from './memory/known-jobs.js'
import { ReservedTimes } from './reserved-times.js'
import { WaitingHere, type WaitingStep } from './waiting-here.js'

export interface GoingOnOptions {
  readonly known: KnownJobs
  readonly partitions: SerialByKey
  readonly instanceName: string
  readonly clock: Clock
  readonly telemetry: Telemetry
  /** Advances a job. `called` has the ids of waiting steps that may enter their limit now. */
  readonly advance: (changed: ChangedJob, leaseToken: string, called?: ReadonlySet<string>) => Promise<void>
}

/** Goes on with the steps of this process that wait at limits, when they are called or when their time has come. */
export class GoingOn {
  private readonly waiting = new WaitingHere()
  /** The steps of this process that wait for the times of their rates. */
  readonly reserved: ReservedTimes

  constructor(private readonly options: GoingOnOptions) {
    this.reserved = new ReservedTimes(options.clock, (step, ended) => {
      this.beginReserved(step)
        .catch((error: unknown) => {
          // A supervisor offers the step.
          if (error instanceof StoreUnavailable) return
          options.telemetry.emit({ type: 'loop.failed', loop: 'rates', error })
        })
        .finally(ended)
    })
  }

  /** Remembers the waiting steps among those that were written with a job, and forgets the others. */
  note(job: JobDocument, steps: readonly StepDocument[], leaseToken: string | null): void {
    this.waiting.note(job, steps, leaseToken)
    this.reserved.note(job, steps, leaseToken)
  }

  forgetLease(leaseToken: string): void {
    this.waiting.forgetLease(leaseToken)
    this.reserved.forgetLease(leaseToken)
  }

  stop(): void {
    this.reserved.stop()
  }

  /** Goes on with a step that may enter its limit. Resolves to false if this instance does not drive its job. */
  async enter(visitor: Visitor): Promise<boolean> {
    const found = this.waiting.take(visitor)
    if (found === null) return false
    const { pk, stepId } = found.step
    return this.options.partitions.run(pk, async () => {
      const job = await this.advance(found, new Set([stepId]))
      if (job === null) return false
      // If it still waits, or has left because its job was paused, the keeper of the gates looks at its document.
      const place = this.options.known.placeOf(job, stepId)
      return place?.entry === visitor.entry && place.waitsFor === null
    })
  }

  private async beginReserved(found: WaitingStep): Promise<void> {
    await this.options.partitions.run(found.step.pk, () => this.advance(found))
  }

  /** Advances the job of a step, and returns the job as it was. Returns null if this instance does not drive it. */
  private async advance(
    { step, leaseToken }: WaitingStep,
    called?: ReadonlySet<string>,
  ): Promise<JobDocument | null> {
    const { known, instanceName, advance } = this.options
    const changed = changedJob(step, new Map())
    const job = await known.job({ pk: step.pk, id: jobDocumentId(step.jobId) }, noneSeen())
    if (job === null || isTerminal(job) || job.lockedBy !== instanceName) return null
    // A step that is not remembered any more is read.
    if (called === undefined) changed.seen.steps.set(step.stepId, null)
    await advance(changed, leaseToken, called)
    return job
  }
}
