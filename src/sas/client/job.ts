import type { Json } from '../model/documents.js'
import { JobFailed, JobNotFound } from '../model/errors.js'
import { followJob } from './job-updates.js'
import { viewOf, type JobView } from './job-view.js'
import type { JobWaiting } from './job-waiting.js'
import { readSteps } from '../store/read-steps.js'
import type { DocumentAddress, StateStore } from '../store/state-store.js'
import type { Accepted } from './wait-pace.js'

/** What a finished job came to: each step's output by step id. */
export type JobResult = Readonly<Record<string, Json>>

/** One job of a state container. Every method asks the store again. */
export class Job {
  constructor(
    private readonly store: StateStore,
    private readonly waiting: JobWaiting,
    private readonly address: DocumentAddress & { readonly jobId: string },
    /** When it was accepted, where that was just done. */
    private readonly accepted: Accepted | null = null,
  ) {}

  /** The job's id. */
  get jobId(): string {
    return this.address.jobId
  }

  /** The value of the partition key that the job and its steps share. */
  get partitionKey(): string {
    return this.address.pk
  }

  /**
   * The job and its steps as they are now.
   *
   * @throws JobNotFound when it is gone
   * @throws JobUnreadable when its document cannot be read
   */
  async view(): Promise<JobView> {
    const view = await this.readView()
    if (view === null) throw new JobNotFound(this.jobId)
    return view
  }

  /**
   * The job as it is now, and again whenever it or one of its steps has changed. Ends with the job, after its last state.
   * Changes that follow each other closely come as one.
   *
   * @throws JobNotFound when there is no such job
   * @throws StoreUnavailable when the store could not be asked; ask for updates again
   * @throws the signal's reason when `signal` aborts; the job goes on
   */
  async *updates(options: { readonly signal?: AbortSignal } = {}): AsyncGenerator<JobView, void, undefined> {
    const { signal } = options
    if ((await this.waiting.read(this.address)) === null) throw new JobNotFound(this.jobId)
    yield* followJob({
      jobId: this.jobId,
      feed: this.store.follow(this.address.pk),
      readView: () => this.readView(),
      rest: (idleReads) => this.waiting.rest(this.address, idleReads, signal),
      signal,
    })
  }

  private async readView(): Promise<JobView | null> {
    const job = await this.waiting.read(this.address)
    return job === null ? null : viewOf(job, await readSteps(this.store, job))
  }

  /**
   * Resolves when the job has ended well, with every step's output.
   *
   * @throws JobFailed when it ended otherwise
   * @throws JobNotFound when it is gone
   * @throws the signal's reason when `signal` aborts first; the job goes on
   */
  async result(options: { readonly signal?: AbortSignal } = {}): Promise<JobResult> {
    const ended = await this.waiting.untilEnded(this.address, this.accepted, options.signal)
    if (ended === null) throw new JobNotFound(this.jobId)
    const { job } = ended
    const steps = ended.steps ?? (await readSteps(this.store, job))
    if (job.processState === 'Processed') {
      // The caller's own: what was written in this process may be what a handler still holds.
      const results = viewOf(job, steps).steps.map(({ stepId, output }) => [stepId, output] as const)
      return structuredClone(Object.fromEntries(results))
    }
    const failed = steps.find((step) => step.stepId === job.attention?.stepId)
    throw new JobFailed(job, failed?.diagnostics ?? [])
  }
}
