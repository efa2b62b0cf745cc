import type { Duration } from '../../platform/index.js'
import { durationMs } from '../../platform/internal.js'
import { CommandRefused, JobNotFound } from '../../sas/index.js'
import type { Job, JobResult, JobView } from '../../sas/index.js'
import type { Planned } from '../../sas/internal.js'
import { assertAsks } from './answers.js'
import type { HandlerCall } from './handler-call.js'
import type { Play } from './play.js'
import { assertWaits } from './workflow-story.js'

/** The job of a simulation. */
export interface PlayedJob {
  readonly play: Play
  readonly calls: readonly HandlerCall[]
  readonly workflow: Planned
  readonly jobId: string
  readonly partitionKey: string
}

/**
 * One simulated job, from `simulateJob`. Each method lets the job run until it only waits again, so that the
 * test can then examine `calls` and `view()`. Await each call before the next one. The work of the job takes
 * a few seconds of simulated time. `advance` counts from the end of this work.
 */
export class SimulatedJob<R = JobResult> {
  private isBusy = false

  /** @internal */
  constructor(private readonly played: PlayedJob) {}

  /** The job's id. */
  get jobId(): string {
    return this.played.jobId
  }

  /** The simulated time. */
  get now(): Date {
    return new Date(this.played.play.now)
  }

  /** The calls of handlers so far, in their order, including undos and repeated attempts. */
  get calls(): readonly HandlerCall[] {
    return [...this.played.calls]
  }

  /**
   * Lets this time pass, such as `'3d'`, with everything that is due by then.
   *
   * @throws RangeError if the duration is invalid
   * @throws CommandRefused if the job has ended
   */
  async advance(duration: Duration): Promise<void> {
    const ms = durationMs(duration)
    if (ms === null) {
      throw new RangeError(`advance: ${JSON.stringify(duration)} is no duration such as 30000 or '3d'`)
    }
    await this.alone(async () => {
      await this.refuseEnded('nothing is due any more')
      await this.played.play.pass(ms)
    })
  }

  /**
   * Raises the event of a `waitFor` step, before or while the step waits. A step that collects events needs a
   * `key` of each event.
   *
   * @throws RangeError if no step with this id waits for an event
   * @throws CommandInvalid if the payload is not JSON
   * @throws CommandRefused if the job has ended, or if the step no longer waits or has another event
   */
  async raise(step: string, payload: unknown = null, options: { readonly key?: string } = {}): Promise<void> {
    const { play, workflow, jobId, partitionKey } = this.played
    assertWaits(workflow, step)
    await this.alone(async () => {
      await this.refuseEnded('no event can arrive')
      const where = { ...options, partitionKey }
      await play.act(`sender for ${step}`, (client) => client.raiseEvent(jobId, step, payload, where))
    })
  }

  /**
   * Answers the question of a step.
   *
   * @param options `by` is the name of the person. Default: `'person'`
   * @throws RangeError if no step with this id asks a question
   * @throws CommandInvalid if the answer does not fit the form
   * @throws CommandRefused if the job has ended, or if the question is not put yet, was answered or has expired
   */
  async answer(
    step: string,
    data: unknown,
    options: { readonly by?: string; readonly note?: string } = {},
  ): Promise<void> {
    const { play, workflow, jobId, partitionKey } = this.played
    assertAsks(workflow, step)
    await this.alone(async () => {
      await this.refuseEnded('no question is open')
      const given = { by: 'person', ...options, partitionKey }
      await play.act(given.by, (client) => client.answer(jobId, step, data, given))
    })
  }

  /** Reads the job and its steps. */
  view(): Promise<JobView> {
    return this.alone(() => this.read((job) => job.view()))
  }

  /**
   * Returns what the workflow returned, or the output of every step by step id. Lets no time pass.
   *
   * @throws JobFailed if the job ended in another way
   * @throws CommandRefused if the job has not ended; the message says for what it waits
   */
  result(): Promise<R> {
    return this.alone(async () => {
      const { endedAt, why } = await this.read((job) => job.view())
      if (endedAt === null) {
        const advice = 'Raise the event, answer the question, or advance the time.'
        throw new CommandRefused(this.jobId, `the job has not ended: ${why} ${advice}`)
      }
      return (await this.read((job) => job.result())) as R
    })
  }

  private async refuseEnded(consequence: string): Promise<void> {
    const { endedAt, state, why } = await this.read((job) => job.view())
    if (endedAt === null) return
    throw new CommandRefused(this.jobId, `the job has ended as ${state}, so ${consequence}: ${why}`)
  }

  private read<T>(reading: (job: Job) => Promise<T>): Promise<T> {
    const { play, jobId, partitionKey } = this.played
    return play.read(async (client) => {
      const job = await client.get(jobId, { partitionKey })
      if (job === null) throw new JobNotFound(jobId)
      return reading(job)
    })
  }

  /** Refuses a call that begins before the previous one has ended, because both would let time pass. */
  private async alone<T>(action: () => Promise<T>): Promise<T> {
    if (this.isBusy) throw new Error('await each call of a simulated job before the next one')
    this.isBusy = true
    try {
      return await action()
    } finally {
      this.isBusy = false
    }
  }
}
