import type { Clock } from '../../platform/index.js'
import { isAborted } from '../../platform/internal.js'
import { flag, isObject, readOptions, shown, text, textThat } from '../../platform/options.js'
import { isSnoozed } from '../decisions/operator/triage.js'
import { causeOf, causePattern } from '../model/diagnostics.js'
import type { ProcessState } from '../model/documents.js'
import { CommandInvalid, CommandRefused, JobNotFound, JobUnreadable, StepNotFound } from '../model/errors.js'
import type { JobFilter } from '../store/filters/job-filter.js'
import { unknownNames, type UnknownName } from '../store/filters/unknown-names.js'
import type { JobQueries } from '../store/job-queries.js'
import { jobFilterProblems } from './filter-problems.js'
import type { CommandOptions, JobSummary, ReleaseOptions, ResubmitOptions } from './command-options.js'
import type { Workflow } from '../workflow/workflow.js'
import {
  alike,
  type MigratedAlike,
  type MigrateOptions,
  type MigrateReport,
} from './repair/migrate-options.js'
import { restartProblems, type RestartOptions } from './repair/restart-options.js'
import type { TriageOptions } from './triage/triage-options.js'

/** The filter of a selection. A job must match every field of the filter. */
export interface SelectionFilter extends Omit<JobFilter, 'limit' | 'after'> {
  /** Only flagged jobs that are snoozed, or only jobs that are not. Default: both. */
  readonly isSnoozed?: boolean
  /** Only flagged jobs that are assigned to this person by a triage. */
  readonly assignee?: string
  /**
   * Only flagged jobs whose problem has this cause. The commands that `stepward attention` suggests contain the names of
   * causes.
   */
  readonly cause?: string
}

/** Options of a command on many jobs. */
export interface BulkOptions {
  /** Reports the effect on each job, and writes nothing. Default false. */
  readonly dryRun?: boolean
  /** Called before the first job, and after each job. If it throws before the first job, nothing is written. */
  readonly onProgress?: (done: number, total: number) => void
  /** Once this signal aborts, the command does not begin on any more jobs. */
  readonly signal?: AbortSignal
}

/** The result of a command on many jobs. */
export interface BulkReport {
  readonly isDryRun: boolean
  /** The ids of the jobs on which the command was carried out or, in a dry run, would be carried out. */
  readonly done: readonly string[]
  /** The jobs whose current state does not allow the command. */
  readonly refused: readonly { readonly jobId: string; readonly reason: string }[]
}

/** The result of a migration of many jobs. */
export interface BulkMigrateReport extends BulkReport {
  /** What the migration changes, in groups of jobs with the same changes. The largest group is first. */
  readonly migrated: readonly MigratedAlike[]
}

/** The commands on one job that a selection carries out on many jobs. */
export interface SingleCommands {
  list(filter: JobFilter): Promise<readonly JobSummary[]>
  resubmit(jobId: string, options: ResubmitOptions): Promise<void>
  restart(jobId: string, options: RestartOptions): Promise<unknown>
  migrate<I>(jobId: string, workflow: Workflow<I>, options: MigrateOptions): Promise<MigrateReport>
  release(jobId: string, options: ReleaseOptions): Promise<void>
  cancel(jobId: string, reason: string, options: CommandOptions): Promise<void>
  triage(jobId: string, options: TriageOptions): Promise<void>
}

/** The result of a command on one of many jobs that leaves this job as it is. The job is neither done nor refused. */
const nothingToDo = Symbol('nothing to do')

/** The number of jobs in one read, and the number of jobs that are changed in parallel. */
const pageSize = 500
const atOnce = 8

/**
 * The jobs that match a filter, for a command on all of them. The command is decided and written for each job
 * separately. A run that was cut short can be repeated, because a job on which the command was already
 * carried out refuses the command or no longer matches (F-O4).
 */
export class JobSelection {
  /** @internal */
  constructor(
    private readonly commands: SingleCommands,
    private readonly filter: SelectionFilter,
    private readonly ports: { readonly clock: Pick<Clock, 'now'>; readonly queries: JobQueries },
  ) {
    // A missing filter would match every job.
    if (!isObject(filter)) throw new CommandInvalid(`select: ${jobFilterProblems(filter).join('; ')}`)
  }

  /** Returns every job that matches, the newest submission first. */
  list(): Promise<readonly JobSummary[]> {
    return this.listed()
  }

  /** Returns fewer jobs if the signal aborts. */
  private async listed(signal?: AbortSignal): Promise<readonly JobSummary[]> {
    const { isSnoozed: _isSnoozed, assignee: _assignee, cause, ...given } = this.filter
    refuseFilter(this.filter)
    // Only flagged jobs have a cause, and an index finds them.
    const filter = cause === undefined ? given : { ...given, isFlagged: true as const }
    const found: JobSummary[] = []
    for (;;) {
      const last = found.at(-1)
      const after = last === undefined ? {} : { after: last }
      const page = await this.commands.list({ ...filter, ...after, limit: pageSize })
      found.push(...page)
      const isLast = page.length < pageSize || isAborted(signal)
      if (isLast) return found.filter((job) => this.fitsFlag(job))
    }
  }

  /**
   * Returns the workflow or step of the filter if no job has it, with the names that jobs have. Call this when a selection
   * has found nothing, to find a misspelt name. It reads at most 40 jobs, however many there are.
   */
  unknownNames(): Promise<readonly UnknownName[]> {
    return unknownNames(this.ports.queries, this.filter)
  }

  /** Calls {@link SingleCommands.resubmit} for every matching job in the filter's state (default: Error). */
  async resubmit(
    options: Omit<ResubmitOptions, 'partitionKey' | 'dryRun'> & BulkOptions,
  ): Promise<BulkReport> {
    const { onProgress: _onProgress, signal: _signal, ...command } = given('resubmit', options)
    const fits = ({ state }: JobSummary): boolean => state === (this.filter.state ?? 'Error')
    return this.each(options, fits, ({ jobId, partitionKey }) =>
      this.commands.resubmit(jobId, { ...command, partitionKey }),
    )
  }

  /**
   * Calls {@link SingleCommands.restart} for every matching job in the filter's state (default: Error). Each new
   * job gets the default id.
   */
  async restart(
    options: Omit<RestartOptions, 'partitionKey' | 'dryRun' | 'as'> & BulkOptions,
  ): Promise<BulkReport> {
    const { onProgress: _onProgress, signal: _signal, ...command } = given('restart', options)
    const fits = ({ state }: JobSummary): boolean => state === (this.filter.state ?? 'Error')
    const problems = restartProblems('any', command)
    if (problems.length > 0) throw new CommandInvalid(`restart: ${problems.join('; ')}`)
    return this.each(options, fits, async ({ jobId, partitionKey }) => {
      try {
        await this.commands.restart(jobId, { ...command, partitionKey })
      } catch (error) {
        // These options suit other jobs, such as those without an effect that could be undone.
        throw error instanceof CommandInvalid ? new CommandRefused(jobId, error.message) : error
      }
    })
  }

  /**
   * Calls {@link SingleCommands.migrate} for every matching job that has not ended, or is in Error. The report says what
   * changes.
   */
  async migrate<I>(
    workflow: Workflow<I>,
    options: Omit<MigrateOptions, 'partitionKey' | 'dryRun'> & BulkOptions,
  ): Promise<BulkMigrateReport> {
    const { onProgress: _onProgress, signal: _signal, ...command } = given('migrate', options)
    const fits = ({ state }: JobSummary): boolean => state !== 'Processed' && state !== 'Compensated'
    const made: MigrateReport[] = []
    const report = await this.each(options, fits, async ({ jobId, partitionKey }) => {
      made.push(await this.commands.migrate(jobId, workflow, { ...command, partitionKey }))
    })
    return { ...report, migrated: alike(made) }
  }

  /** Calls {@link SingleCommands.release} for every matching job with a parked step or an extended wait. */
  async release(
    options: Omit<ReleaseOptions, 'partitionKey' | 'dryRun'> & BulkOptions = {},
  ): Promise<BulkReport> {
    const { onProgress: _onProgress, signal: _signal, ...command } = given('release', options)
    const fits = ({ attention }: JobSummary): boolean => attention !== null
    const isToRelease = ({ attention }: JobSummary): boolean =>
      attention?.kind === 'parked' || attention?.kind === 'extendedWait'
    return this.each(options, fits, async (job) => {
      const { jobId, partitionKey } = job
      try {
        await this.commands.release(jobId, { ...command, partitionKey })
        return undefined
      } catch (error) {
        // A step may be parked although the job is flagged because of another step. Most such jobs have no parked step.
        if (!isToRelease(job) && error instanceof CommandRefused) return nothingToDo
        throw error
      }
    })
  }

  /**
   * Calls {@link SingleCommands.cancel} for every matching job that is Pending, Processing or in Error, or that is undone in order
   * to begin again.
   */
  async cancel(
    reason: string,
    options: Omit<CommandOptions, 'partitionKey' | 'dryRun'> & BulkOptions = {},
  ): Promise<BulkReport> {
    const { onProgress: _onProgress, signal: _signal, ...command } = given('cancel', options)
    const stoppable: readonly ProcessState[] = ['Pending', 'Processing', 'Error', 'Compensating']
    const fits = ({ state }: JobSummary): boolean => stoppable.includes(state)
    return this.each(options, fits, async ({ jobId, partitionKey, state }) => {
      try {
        await this.commands.cancel(jobId, reason, { ...command, partitionKey })
        return undefined
      } catch (error) {
        // Most jobs that are being undone do not begin again afterwards, so there is nothing to cancel.
        if (state === 'Compensating' && error instanceof CommandRefused) return nothingToDo
        throw error
      }
    })
  }

  /** Calls {@link SingleCommands.triage} for every matching job that needs an operator. */
  async triage(options: Omit<TriageOptions, 'partitionKey' | 'dryRun'> & BulkOptions): Promise<BulkReport> {
    const { onProgress: _onProgress, signal: _signal, ...command } = given('triage', options)
    const fits = ({ attention }: JobSummary): boolean => attention !== null
    return this.each(options, fits, ({ jobId, partitionKey }) =>
      this.commands.triage(jobId, { ...command, partitionKey }),
    )
  }

  private fitsFlag({ workflow, attention, triage }: JobSummary): boolean {
    const { isSnoozed: wanted, assignee, cause } = this.filter
    const fits = wanted === undefined || isSnoozed(triage, this.ports.clock.now()) === wanted
    const isOfCause =
      cause === undefined || (attention !== null && causeOf({ workflow, ...attention }) === cause)
    return fits && isOfCause && (assignee === undefined || triage?.assignee === assignee)
  }

  private async each(
    { dryRun = false, onProgress, signal }: BulkOptions,
    fits: (job: JobSummary) => boolean,
    command: (job: JobSummary) => Promise<unknown>,
  ): Promise<BulkReport> {
    const jobs = (await this.listed(signal)).filter(fits)
    if (isAborted(signal)) return { isDryRun: dryRun, done: [], refused: [] }
    const left = [...jobs]
    const done: string[] = []
    const refused: { jobId: string; reason: string }[] = []
    let ended = 0
    onProgress?.(0, jobs.length)
    const worker = async (): Promise<void> => {
      for (let job = left.shift(); job !== undefined; job = left.shift()) {
        if (isAborted(signal)) return
        try {
          if ((await command(job)) !== nothingToDo) done.push(job.jobId)
        } catch (error) {
          if (!isAboutOne(error)) {
            left.length = 0
            throw error
          }
          refused.push({ jobId: job.jobId, reason: error.message })
        }
        ended += 1
        onProgress?.(ended, jobs.length)
      }
    }
    await Promise.all(Array.from({ length: Math.min(atOnce, jobs.length) }, worker))
    return { isDryRun: dryRun, done, refused }
  }
}

/** Checks the options, whose fields `each` and the commands read. @throws CommandInvalid if they are not an object */
function given<O extends object>(call: string, options: O): O {
  if (isObject(options)) return options
  throw new CommandInvalid(`${call}: the options are ${shown(options)}; they must be an object`)
}

const causeName = textThat('the name of a cause, as in a command of "stepward attention"', (name) =>
  causePattern.test(name),
)

/** @throws CommandInvalid if one of the fields that only a selection has is invalid */
function refuseFilter({ isSnoozed, assignee, cause }: SelectionFilter): void {
  const shape = { isSnoozed: flag().optional(), assignee: text().optional(), cause: causeName.optional() }
  const { problems } = readOptions(shape, { isSnoozed, assignee, cause })
  if (problems.length > 0) throw new CommandInvalid(`select: ${problems.join('; ')}`)
}

/** Checks whether an error concerns one job only, so that the command can continue with the other jobs. */
function isAboutOne(error: unknown): error is Error {
  return [CommandRefused, JobNotFound, JobUnreadable, StepNotFound].some((kind) => error instanceof kind)
}
