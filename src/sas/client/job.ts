import type { Clock } from '../../platform/index.js'
import type { JobDocument, Json, StepDocument } from '../model/documents.js'
import { JobFailed, JobNotFound } from '../model/errors.js'
import { flag, optional, readOptions } from '../../platform/options.js'
import { refuseProblems, signalOf } from './call-arguments.js'
import { followJob } from './job-updates.js'
import { despiteOutage } from './waits/outage.js'
import { readAttempts } from './history/read-attempts.js'
import { readHistory, readHistoryAt } from './history/read-history.js'
import type { HistoryDocuments, HistoryOptions, JobHistory, StepAttempts } from './history/job-history.js'
import { noPayloads, type Payloads } from '../payloads/payloads.js'
import { readPlaceAtLimit } from '../gates/place-ahead.js'
import { resultOf } from '../decisions/continue-or-end-job.js'
import { cancelPlan, type CancelPlan } from '../decisions/operator/cancel-plan.js'
import { hideDocuments } from '../plan/hide-documents.js'
import { outputsOf, viewOf, type JobView } from './job-view.js'
import type { JobWaiting } from './waits/job-waiting.js'
import { readSteps } from '../store/read-steps.js'
import type { JobQueries } from '../store/job-queries.js'
import type { DocumentAddress, StateStore } from '../store/state-store.js'
import type { Accepted } from './waits/wait-pace.js'

/** The output of each step of a finished job, by step id. */
export type JobResult = Readonly<Record<string, Json>>

/** The interfaces through which a client reaches a state container. */
export interface JobPorts {
  readonly store: StateStore
  readonly queries: JobQueries
  readonly clock: Clock
  readonly payloads?: Payloads
  /**
   * Reads the leases, and says in a sentence which roles or agents a job lacks. Null if none are missing or if the
   * leases cannot be read. Never rejects.
   */
  readonly lacks?: (job: JobView) => Promise<string | null>
}

/**
 * The type of the result of a job. A workflow that returns nothing has the outputs of all steps as its result.
 * If the type of a workflow does not say what it returns, the type of the result says no more than this.
 */
export type ResultOf<O> = [undefined] extends [O] ? JobResult : [O] extends [null] ? JobResult : O

/** Options of a view of a job. */
export interface ViewOptions {
  /** Whether the secret values of the workflow are replaced by a fixed text. Default: false. */
  readonly hidesSecrets?: boolean
}

/** Says what a job lacks outside its documents, or returns null. An ended job lacks nothing, unless it failed. */
export async function whatLacks({ lacks }: Pick<JobPorts, 'lacks'>, view: JobView): Promise<string | null> {
  const isOver = view.endedAt !== null && (view.state !== 'Error' || view.restartedAs !== null)
  return lacks === undefined || isOver ? null : lacks(view)
}

const viewShape = { hidesSecrets: optional(flag()), readsLeases: optional(flag()) }

/** One job of a state container. Every method reads the store again. */
export class Job<R = JobResult> {
  /** @internal */
  constructor(
    private readonly ports: JobPorts,
    private readonly waiting: JobWaiting,
    private readonly address: DocumentAddress & { readonly jobId: string },
    /** The time when this process submitted the job, or null. */
    private readonly accepted: Accepted | null = null,
  ) {}

  /** The job's id. */
  get jobId(): string {
    return this.address.jobId
  }

  /** The partition key value of the job and its steps. */
  get partitionKey(): string {
    return this.address.pk
  }

  /** Returns what `JSON.stringify` shows of the job: its address, without a request. */
  toJSON(): { readonly jobId: string; readonly partitionKey: string } {
    const { jobId, partitionKey } = this
    return { jobId, partitionKey }
  }

  /**
   * Reads the job and its steps. Show people a view without secrets, with `hidesSecrets`. With `readsLeases`, `why`
   * also says if no instance reads the feed range of the job, or if none there has the agent of a step at work or of one
   * that was given up without an answer. This reads all leases, which costs about 10 request units for up to 20 leases. Default: false.
   *
   * @throws JobNotFound if the job does not exist any more
   * @throws JobUnreadable if the job's document cannot be read
   */
  async view(options: ViewOptions & { readonly readsLeases?: boolean } = {}): Promise<JobView> {
    refuseProblems('view', readOptions(viewShape, options).problems)
    const view = await this.readView(options)
    if (view === null) throw new JobNotFound(this.jobId)
    const lacking = options.readsLeases === true ? await whatLacks(this.ports, view) : null
    return lacking === null ? view : { ...view, why: `${lacking} ${view.why}` }
  }

  /**
   * Yields the present view of the job, and another view after each change of the job or of a step. The last
   * view shows the final state of the job. Several changes within a short time are yielded as one view. While the
   * store is away, tries again for a minute.
   *
   * @throws CommandInvalid if an option is invalid
   * @throws JobNotFound if the job does not exist
   * @throws StoreUnavailable if the store is away for longer; the job continues
   * @throws the signal's reason if `signal` aborts; the job continues
   */
  async *updates(
    options: ViewOptions & { readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<JobView, void, undefined> {
    const signal = signalOf('updates', options)
    const reading = <T>(read: () => Promise<T>): Promise<T> => this.despiteOutage(read, signal)
    const job = await reading(() => this.waiting.read(this.address))
    if (job === null) throw new JobNotFound(this.jobId)
    const feed = this.ports.queries.follow(this.address.pk)
    yield* followJob({
      jobId: this.jobId,
      feed: { readNext: () => reading(() => feed.readNext()) },
      readView: () => reading(() => this.readView(options)),
      viewOf: (changed, steps) => reading(() => this.shown(changed, steps, options)),
      rest: (idleReads) => this.waiting.rest(this.address, idleReads, signal),
      signal,
    })
  }

  /**
   * Reads a page of the history of the job: what each transaction changed, and when. If the store does not keep
   * all versions, returns what the job's own record tells, and `note` says how to keep them.
   *
   * @throws CommandInvalid if an option is invalid, or if the store no longer keeps the versions after `after`
   * @throws JobNotFound if the job does not exist any more
   */
  history(options: HistoryOptions = {}): Promise<JobHistory> {
    return readHistory(this.ports, this.address, options)
  }

  /**
   * Reads the documents that one transaction of the job wrote, before and after it. `moment` is from a moment of
   * {@link history}.
   *
   * @throws CommandInvalid if the job has no such transaction, or if its versions are not kept any more
   * @throws JobNotFound if the job does not exist any more
   */
  historyAt(moment: string, { hidesSecrets = false }: ViewOptions = {}): Promise<HistoryDocuments> {
    return readHistoryAt(this.ports, this.address, { moment, hidesSecrets })
  }

  /**
   * Reads the attempts of a step with their inputs, outputs and errors: those in the first 5,000 versions of the
   * job or, if the store keeps no versions, the newest ones in the step's own record.
   *
   * @throws CommandInvalid if the job has no such step
   * @throws JobNotFound if the job does not exist any more
   */
  attempts(step: string, { hidesSecrets = false }: ViewOptions = {}): Promise<StepAttempts> {
    return readAttempts(this.ports, this.address, { step, hidesSecrets })
  }

  /**
   * @internal Returns what a cancellation would do with each step.
   * @throws JobNotFound if the job does not exist any more
   */
  async cancelPlan(): Promise<CancelPlan> {
    const job = await this.waiting.read(this.address)
    if (job === null) throw new JobNotFound(this.jobId)
    return cancelPlan(job, await readSteps(this.ports.store, job))
  }

  private despiteOutage<T>(read: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    return despiteOutage(read, { clock: this.ports.clock, signal })
  }

  private async readView(options: ViewOptions): Promise<JobView | null> {
    const job = await this.waiting.read(this.address)
    return job === null ? null : this.shown(job, await readSteps(this.ports.store, job), options)
  }

  private async shown(
    job: JobDocument,
    steps: readonly StepDocument[],
    { hidesSecrets = false }: ViewOptions,
  ): Promise<JobView> {
    const { store, clock } = this.ports
    const atLimit = await readPlaceAtLimit(store, job, steps)
    const seen = hidesSecrets ? hideDocuments(job, steps) : { job, steps }
    return viewOf(seen.job, seen.steps, { now: clock.now(), atLimit })
  }

  /**
   * Waits for the successful end of the job, and returns what its workflow returned. If the workflow returns
   * nothing, returns the output of every step, by step id. While the store is away, tries again for a minute.
   *
   * @throws CommandInvalid if an option is invalid
   * @throws StoreUnavailable if the store is away for longer; the job continues
   * @throws JobFailed if the job ended in another way
   * @throws JobNotFound if the job does not exist any more
   * @throws the signal's reason if `signal` aborts first; the job continues
   */
  async result(options?: { readonly signal?: AbortSignal }): Promise<R> {
    const signal = options === undefined ? undefined : signalOf('result', options)
    const ended = await this.waiting.untilEnded(this.address, this.accepted, signal)
    if (ended === null) throw new JobNotFound(this.jobId)
    const { job } = ended
    const returns = job.resultTemplate !== undefined
    const carried = returns ? job.result : job.outputs
    // The caller gets a copy, because a handler in this process may still use the same objects.
    const given = async (value: Json, holders: readonly { readonly hasTickets?: boolean | undefined }[]) =>
      structuredClone(holders.some(({ hasTickets }) => hasTickets) ? await this.load(value) : value) as R
    if (job.processState === 'Processed' && carried !== undefined) return given(carried, [job])
    const steps = ended.steps ?? (await this.despiteOutage(() => readSteps(this.ports.store, job), signal))
    if (job.processState === 'Processed')
      return given(returns ? resultOf(job, steps) : outputsOf(job, steps), [job, ...steps])
    const failed = steps.find((step) => step.stepId === job.attention?.stepId)
    throw new JobFailed(job, failed?.diagnostics ?? [])
  }

  /**
   * Returns a value of this job's view with its large parts, which are read from the payload store. In a view,
   * `{ $payload: … }` with the size stands for each of them.
   *
   * @throws PayloadUnavailable if the payload store could not be reached; call `load` again
   * @throws PayloadStoreMissing if this client has no payload store
   * @throws PayloadDamaged if a payload is missing or is not the one that was written
   */
  load(value: Json): Promise<Json> {
    const { payloads = noPayloads } = this.ports
    return payloads.load({ partitionKey: this.partitionKey, jobId: this.jobId }, value)
  }
}
