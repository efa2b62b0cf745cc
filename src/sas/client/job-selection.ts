import type { ProcessState } from '../model/documents.js'
import { CommandRefused, JobNotFound, JobUnreadable } from '../model/errors.js'
import type { JobFilter } from '../store/job-filter.js'
import type { CommandOptions, JobSummary, ReleaseOptions, ResubmitOptions } from './command-options.js'

/** Which jobs an operator means: those that match all of it. */
export type SelectionFilter = Omit<JobFilter, 'limit' | 'after'>

/** How a command on many jobs is carried out. */
export interface BulkOptions {
  /** Says what would become of each job, and writes nothing. Default false. */
  readonly dryRun?: boolean
  /** Told after each job. */
  readonly onProgress?: (done: number, total: number) => void
  /** Begins no further job once it aborts. */
  readonly signal?: AbortSignal
}

/** What became of a command on many jobs. */
export interface BulkReport {
  readonly isDryRun: boolean
  /** Ids of the jobs that it was, or would be, carried out on. */
  readonly done: readonly string[]
  /** Jobs that it does not fit as they stand. */
  readonly refused: readonly { readonly jobId: string; readonly reason: string }[]
}

/** The commands on one job that a selection carries out on many. */
export interface SingleCommands {
  list(filter: JobFilter): Promise<readonly JobSummary[]>
  resubmit(jobId: string, options: ResubmitOptions): Promise<void>
  release(jobId: string, options: ReleaseOptions): Promise<void>
  cancel(jobId: string, reason: string, options: CommandOptions): Promise<void>
}

/** Jobs read at once, and jobs commanded side by side. */
const pageSize = 500
const atOnce = 8

/**
 * The jobs that match a filter, for a command on all of them. Each job is decided and written by itself, so a run that
 * is cut short is repeated: what was done is refused or matches no longer (F-O4).
 */
export class JobSelection {
  constructor(
    private readonly commands: SingleCommands,
    private readonly filter: SelectionFilter,
  ) {}

  /** Every job that matches, newest submission first. */
  async list(): Promise<readonly JobSummary[]> {
    const found: JobSummary[] = []
    for (;;) {
      const last = found.at(-1)
      const after = last === undefined ? {} : { after: last }
      const page = await this.commands.list({ ...this.filter, ...after, limit: pageSize })
      found.push(...page)
      if (page.length < pageSize) return found
    }
  }

  /** {@link SingleCommands.resubmit} for every job that matches and is in Error, or in the state the filter names. */
  resubmit(options: Omit<ResubmitOptions, 'partitionKey' | 'dryRun'> & BulkOptions): Promise<BulkReport> {
    const { onProgress: _onProgress, signal: _signal, ...command } = options
    const fits = ({ state }: JobSummary): boolean => state === (this.filter.state ?? 'Error')
    return this.each(options, fits, ({ jobId, partitionKey }) =>
      this.commands.resubmit(jobId, { ...command, partitionKey }),
    )
  }

  /** {@link SingleCommands.release} for every job that matches and has a step that is parked or waits for long. */
  release(options: Omit<ReleaseOptions, 'partitionKey' | 'dryRun'> & BulkOptions = {}): Promise<BulkReport> {
    const { onProgress: _onProgress, signal: _signal, ...command } = options
    const fits = ({ attention }: JobSummary): boolean =>
      attention?.kind === 'parked' || attention?.kind === 'extendedWait'
    return this.each(options, fits, ({ jobId, partitionKey }) =>
      this.commands.release(jobId, { ...command, partitionKey }),
    )
  }

  /** {@link SingleCommands.cancel} for every job that matches and is not at its end, or has failed. */
  cancel(
    reason: string,
    options: Omit<CommandOptions, 'partitionKey' | 'dryRun'> & BulkOptions = {},
  ): Promise<BulkReport> {
    const { onProgress: _onProgress, signal: _signal, ...command } = options
    const stoppable: readonly ProcessState[] = ['Pending', 'Processing', 'Error']
    const fits = ({ state }: JobSummary): boolean => stoppable.includes(state)
    return this.each(options, fits, ({ jobId, partitionKey }) =>
      this.commands.cancel(jobId, reason, { ...command, partitionKey }),
    )
  }

  private async each(
    { dryRun = false, onProgress, signal }: BulkOptions,
    fits: (job: JobSummary) => boolean,
    command: (job: JobSummary) => Promise<void>,
  ): Promise<BulkReport> {
    const jobs = (await this.list()).filter(fits)
    const left = [...jobs]
    const done: string[] = []
    const refused: { jobId: string; reason: string }[] = []
    const worker = async (): Promise<void> => {
      for (let job = left.shift(); job !== undefined; job = left.shift()) {
        if (isAborted(signal)) return
        try {
          await command(job)
          done.push(job.jobId)
        } catch (error) {
          if (!isAboutOne(error)) {
            left.length = 0
            throw error
          }
          refused.push({ jobId: job.jobId, reason: error.message })
        }
        onProgress?.(done.length + refused.length, jobs.length)
      }
    }
    await Promise.all(Array.from({ length: Math.min(atOnce, jobs.length) }, worker))
    return { isDryRun: dryRun, done, refused }
  }
}

/** Whether an error concerns one job only, so that the command can go on with other jobs. */
function isAboutOne(error: unknown): error is Error {
  return error instanceof CommandRefused || error instanceof JobNotFound || error instanceof JobUnreadable
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true
}
