import { Job, type ResultOf } from './job.js'
import { JobSelection, type SelectionFilter } from './job-selection.js'
import { JobWaiting, type JobWaitingParts } from './waits/job-waiting.js'
import type { OperatorCommand } from '../decisions/operator/request.js'
import { jobFilterProblems, noticeFilterProblems, questionFilterProblems } from './filter-problems.js'
import type { JobCounts } from '../store/job-queries.js'
import type { JobFilter, NoticeFilter, QuestionFilter } from '../store/filters/job-filter.js'
import { raiseFor } from './event-sender.js'
import { answerFor, openQuestions, type AnswerOptions, type OpenQuestion } from './questions.js'
import { unreadableJobs, type UnreadableJob } from '../store/unreadable-jobs.js'
import { Limits } from '../gates/limits.js'
import { isTarget, Pauses, type PauseTarget } from './pauses/pauses.js'
import { Schedules, type SchedulesOptions } from './schedules.js'
import { resend, undelivered, type UndeliveredNotice } from './undelivered.js'
import { requestOf, submitRequest, type SubmitOptions } from './submission-request.js'
import { triageCommand, type TriageOptions } from './triage/triage-options.js'
import { migrateJob } from './repair/migrate-job.js'
import { migrateProblems, type MigrateOptions, type MigrateReport } from './repair/migrate-options.js'
import { restartJob } from './repair/restart-job.js'
import { restartProblems, type RestartOptions, type RestartReport } from './repair/restart-options.js'
import { carryOut, existingJob, findJob } from './update-job.js'
import type { Workflow } from '../workflow/workflow.js'
import type {
  CommandOptions,
  ReleaseOptions,
  ResendOptions,
  ResubmitOptions,
  ResumeOptions,
  JobSummary,
} from './command-options.js'
import {
  addressOf,
  defaultOperator,
  orNone,
  refuseArguments,
  refuseProblems,
  resubmissionOf,
  summaryOf,
  termsOf,
} from './call-arguments.js'

export type JobClientOptions = SchedulesOptions & JobWaitingParts

/** Submits jobs, reads them and gives commands about them. */
export class JobClient {
  /** Stores schedules, and gives commands about them. */
  readonly schedules: Schedules
  /** Reads the limits that steps share, and changes them. */
  readonly limits: Limits
  readonly pauses: Pauses
  private readonly waiting: JobWaiting

  /** @internal */
  constructor(private readonly options: JobClientOptions) {
    this.waiting = new JobWaiting(options)
    this.schedules = new Schedules(options)
    this.limits = new Limits(options)
    this.pauses = new Pauses(options)
  }

  /**
   * Writes the job, its steps and the documents alongside in one transaction. Resolves when all documents are
   * durable. If a job is too large for one transaction, it is written in stages, and no part of it runs
   * before the last stage. A repeated call with the same id and input returns the existing job.
   *
   * @throws SubmissionInvalid if the submission can never be accepted; nothing was written
   * @throws JobConflict if the id belongs to another submission; nothing was written
   * @throws StoreUnavailable if the store could not be reached; repeat with the same id
   * @throws PayloadUnavailable if the payload store could not be reached; repeat with the same id
   */
  async submit<I, O>(
    workflow: Workflow<I, O>,
    input: I,
    options: SubmitOptions = {},
  ): Promise<Job<ResultOf<O>>> {
    const request = requestOf(workflow, input, options, this.options.clock.now())
    const accepted = await submitRequest(this.options, request)
    return new Job(this.options, this.waiting, addressOf(request.partition, request.jobId), accepted)
  }

  /**
   * Returns the job with this id, or null. If the partition key differs from the id, pass the key to save a
   * query.
   *
   * @throws CommandInvalid if an argument is invalid
   */
  async get(jobId: string, options: { readonly partitionKey?: string } = {}): Promise<Job | null> {
    const { partitionKey } = orNone(options)
    refuseArguments('get', { needed: { jobId }, optional: { partitionKey }, others: orNone(options) })
    const found = await findJob(this.options, jobId, { partitionKey })
    return found === null ? null : new Job(this.options, this.waiting, addressOf(found.pk, jobId))
  }

  /**
   * Lists jobs, the newest submission first. Default limit: 100.
   *
   * @throws CommandInvalid if the filter is invalid, because a misspelt filter would match every job
   */
  async list(filter: JobFilter = {}): Promise<readonly JobSummary[]> {
    refuseProblems('list', jobFilterProblems(filter))
    const jobs = await this.options.queries.listJobs(filter)
    return jobs.map(summaryOf)
  }

  /** Counts the jobs in each state, from the store's index. The charge grows with the number of jobs. */
  counts(): Promise<JobCounts> {
    return this.options.queries.countJobs()
  }

  /** Selects the jobs that match a filter, for a command on all of them. Sends no request. Refuses a missing filter. */
  select(filter: SelectionFilter): JobSelection {
    return new JobSelection(this, filter, this.options)
  }

  /**
   * Retries the failed steps of a job in Error, or restarts a job that was undone. A step keeps its
   * idempotency key unless the step was undone or gets another input. `step` names one step, and no other
   * step may have failed. `input` replaces the input of that step.
   *
   * @throws CommandInvalid if an argument is invalid; nothing was written
   * @throws CommandRefused if the job is neither in Error nor undone, or if a step other than `step` failed;
   *   nothing was written
   * @throws JobNotFound if the job does not exist
   * @throws StepNotFound if the job has no such step; nothing was written
   */
  async resubmit(jobId: string, options: ResubmitOptions): Promise<void> {
    const { by: _by, why: _why, step: _step, input: _input, ...where } = orNone(options)
    await this.command(jobId, resubmissionOf(jobId, orNone(options)), where)
  }

  /**
   * Restarts a job that has ended, or is in Error, as a new job in the same partition. The steps before `from`
   * are carried over with their outputs and their undo, and the others run with new idempotency keys. Only the
   * new job can then undo the carried steps. A repeated call returns the same new job.
   *
   * @throws CommandInvalid if an argument is invalid, or if `after` is missing; nothing was written
   * @throws CommandRefused if the state of the job does not allow the restart; nothing was written
   * @throws JobNotFound if the job does not exist
   * @throws StepNotFound if the job has no step `from`; nothing was written
   */
  async restart(jobId: string, options: RestartOptions): Promise<RestartReport> {
    refuseProblems('restart', restartProblems(jobId, orNone(options)))
    const { pk } = await existingJob(this.options, jobId, options)
    return restartJob(this.options, addressOf(pk, jobId), options)
  }

  /**
   * Replaces the plan of a job that has not ended by a newer definition with the same steps. Steps that have
   * begun keep their plan. A repeated call changes nothing.
   *
   * @throws CommandInvalid if an argument is invalid; nothing was written
   * @throws CommandRefused if the job cannot have this plan; nothing was written
   * @throws JobNotFound if the job does not exist
   */
  async migrate<I>(jobId: string, workflow: Workflow<I>, options: MigrateOptions): Promise<MigrateReport> {
    refuseProblems('migrate', migrateProblems(jobId, workflow, orNone(options)))
    const { pk } = await existingJob(this.options, jobId, options)
    return migrateJob(this.options, addressOf(pk, jobId), workflow, options)
  }

  /**
   * Lets waiting steps (parked or in an extended wait) continue immediately: only `step`, or all of them.
   *
   * @throws CommandInvalid if an argument is invalid; nothing was written
   * @throws CommandRefused if no such step waits; nothing was written
   * @throws JobNotFound if the job does not exist
   * @throws StepNotFound if the job has no such step; nothing was written
   */
  async release(jobId: string, options: ReleaseOptions = {}): Promise<void> {
    const { step, by = defaultOperator, why = 'released', ...where } = orNone(options)
    const which = step === undefined ? {} : { stepId: step }
    await this.command(jobId, { kind: 'release', by, why, ...which }, where)
  }

  /**
   * Stops a job. The outcomes of running attempts no longer count, and done steps with an undo are undone.
   * The job ends as Compensated.
   *
   * @throws CommandInvalid if there is no reason; nothing was written
   * @throws CommandRefused if the job has ended, or is already being undone; nothing was written
   * @throws JobNotFound if the job does not exist
   */
  async cancel(jobId: string, reason: string, options: CommandOptions = {}): Promise<void> {
    const { by = defaultOperator, ...where } = orNone(options)
    await this.command(jobId, { kind: 'cancel', by, why: reason }, where)
  }

  /**
   * Says who looks after the problem of a job, with a note, and hides the job from lists of problems for a time. The
   * triage ends with the problem. It starts no attempt, and the flag of the job stays.
   *
   * @throws CommandInvalid if an argument is invalid; nothing was written
   * @throws CommandRefused if the job needs no operator, or if nothing would change; nothing was written
   * @throws JobNotFound if the job does not exist
   */
  async triage(jobId: string, options: TriageOptions): Promise<void> {
    const { assignee, note, snooze, by = defaultOperator, ...where } = orNone(options)
    const parts = { assignee, note, snooze }
    await this.command(jobId, triageCommand(parts, by, this.options.clock.now()), where)
  }

  /**
   * Lets no attempt of a job begin until `resume`. Attempts under way end. The deadlines of steps that wait,
   * and of the job, do not run meanwhile. A cancellation takes effect when the job is resumed. A pause of a
   * workflow concerns all its jobs, and that of an agent each job that comes to it. It holds after 30 seconds.
   *
   * @throws CommandInvalid if there is no reason; nothing was written
   * @throws CommandRefused if the job has ended or is paused already; nothing was written
   * @throws JobNotFound if the job does not exist
   */
  async pause(jobId: string | PauseTarget, why: string, options: CommandOptions = {}): Promise<void> {
    if (isTarget(jobId)) return this.pauses.pause(jobId, why, orNone(options))
    const { by = defaultOperator, ...where } = orNone(options)
    await this.command(jobId, { kind: 'pause', by, why }, where)
  }

  /**
   * Ends the pause of a job, a workflow or an agent. Deadlines are later by the time of the pause.
   *
   * @throws CommandInvalid if an argument is invalid; nothing was written
   * @throws CommandRefused if it is not paused, or if the job is paused with its workflow or agent; nothing was written
   * @throws JobNotFound if the job does not exist
   */
  async resume(jobId: string | PauseTarget, options: ResumeOptions = {}): Promise<void> {
    if (isTarget(jobId)) return this.pauses.resume(jobId, orNone(options))
    const { by = defaultOperator, why = 'resumed', ...where } = orNone(options)
    await this.command(jobId, { kind: 'resume', by, why }, where)
  }

  /**
   * Raises the event of a `waitFor` step, before or while the step waits. A repeated call with the same event
   * changes nothing. A parked step keeps the event, and continues when an operator releases the step. A step that
   * collects events needs a `key` of each event. Events with the same key count once.
   *
   * @throws CommandInvalid if an argument is invalid, or the payload is not JSON or too large
   * @throws StepNotFound if the job has no such step; nothing was written
   * @throws CommandRefused if the job was undone, or if the step does not wait for an event, no longer waits, or
   *   already has another event
   * @throws JobNotFound if the job does not exist
   */
  async raiseEvent(
    jobId: string,
    step: string,
    payload: unknown = null,
    options: { readonly key?: string; readonly partitionKey?: string } = {},
  ): Promise<void> {
    await raiseFor(this.options, { jobId, step, payload }, orNone(options))
  }

  /** Lists the questions that wait for an answer, the oldest first. Default limit: 100. */
  async inbox(filter: QuestionFilter = {}): Promise<readonly OpenQuestion[]> {
    refuseProblems('inbox', questionFilterProblems(filter))
    return openQuestions(this.options.queries, filter)
  }

  /**
   * Answers the question of a step. The answer, the person and the time are kept. A repeated call with the
   * same answer and person changes nothing.
   *
   * @throws CommandInvalid if an argument is invalid, or the answer does not fit the form
   * @throws StepNotFound if the job has no such step; nothing was written
   * @throws CommandRefused if the question is not open: it was answered, or its time is over
   * @throws JobNotFound if the job does not exist
   */
  async answer(jobId: string, step: string, data: unknown, options: AnswerOptions): Promise<void> {
    await answerFor(this.options, { jobId, step, data }, orNone(options))
  }

  /** Lists the jobs whose document a scheduler could not read, the earliest found first. */
  unreadable(): Promise<readonly UnreadableJob[]> {
    return unreadableJobs(this.options.store)
  }

  /** Lists the notices that were given up because no receiver accepted them, oldest first. Default limit: 100. */
  async undelivered(filter: NoticeFilter = {}): Promise<readonly UndeliveredNotice[]> {
    refuseProblems('undelivered', noticeFilterProblems(filter))
    return undelivered(this.options.queries, filter)
  }

  /**
   * Makes a notifier send every given-up notice of the job again.
   *
   * @returns their number
   * @throws CommandInvalid if an argument is invalid; nothing was written
   * @throws CommandRefused if no notice of the job was given up; nothing was written
   * @throws JobNotFound if neither such a notice nor the job exists
   */
  async resend(jobId: string, options: ResendOptions = {}): Promise<number> {
    const { by = defaultOperator, why = 'sent again', dryRun = false } = orNone(options)
    refuseArguments('resend', { needed: { jobId, by, why }, flags: { dryRun }, others: orNone(options) })
    return (await resend(this.options, jobId, { by, why, isDryRun: dryRun })).length
  }

  private async command(jobId: string, command: OperatorCommand, where: CommandOptions): Promise<void> {
    refuseArguments(command.kind, { ...termsOf(jobId, command, where), others: where })
    const address = addressOf((await existingJob(this.options, jobId, where)).pk, jobId)
    if (command.kind === 'resume') await this.pauses.refuseFor(address)
    await carryOut(this.options, { ...address, isDryRun: where.dryRun === true }, command)
  }
}
