import type { Clock } from '../../../platform/index.js'
import { inSlices } from '../../../platform/internal.js'
import type { Telemetry } from '../../../telemetry/index.js'
import { CommandRefused, JobUnreadable } from '../../model/errors.js'
import type { PauseEntry } from '../../model/operator-documents.js'
import { isOf, readPauses, updatePauses, withSweep } from '../../pauses/stored-pauses.js'
import type { ConcernedJob, StateStore } from '../../store/state-store.js'
import { operated, updateJob } from '../update-job.js'

export interface TellJobsOptions {
  readonly store: StateStore
  readonly clock: Clock
  readonly telemetry: Telemetry
}

/** The number of jobs that are written in parallel, and between two checks that the pause still stands. */
const jobsAtOnce = 16

/**
 * Returns a function that pauses or resumes the jobs of every workflow and agent about which an operator has decided,
 * as soon as their time has come. It returns the time of the next call, or null. If it is interrupted, the next call
 * begins again, and finds the jobs that are left.
 */
export function tellJobs(options: TellJobsOptions) {
  const { store, clock } = options
  return async (): Promise<number | null> => {
    const pauses = await readPauses(store)
    const due =
      pauses?.entries.filter(({ sweepAtMs }) => sweepAtMs !== null && sweepAtMs <= clock.now()) ?? []
    for (const entry of due) {
      const hasFound = await tellJobsOf(entry, options)
      if (hasFound === null) continue
      await updatePauses(store, (current) => withSweep(current, entry, hasFound))
    }
    const after = due.length === 0 ? pauses : await readPauses(store)
    return after?.completeByMs ?? null
  }
}

/** Returns whether there were such jobs. Returns null if an operator has decided again meanwhile. */
async function tellJobsOf(entry: PauseEntry, options: TellJobsOptions): Promise<boolean | null> {
  const { kind, name, phase } = entry
  // A scheduler pauses a job with an agent when the job needs the agent.
  if (phase === 'on' && kind === 'agent') return false
  const { store } = options
  const jobs = await store.listConcerned(
    phase === 'on' ? { kind: 'toPause', workflow: name } : { kind: 'toResume', with: { kind, name } },
  )
  for (let first = 0; first < jobs.length; first += jobsAtOnce) {
    if (!(await stillStands(entry, store))) return null
    const slice = jobs.slice(first, first + jobsAtOnce)
    const results = await inSlices(slice, jobsAtOnce, (job) => tell(job, entry, options))
    const failed = results.find((result) => result.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }
  return jobs.length > 0
}

async function stillStands(entry: PauseEntry, store: StateStore): Promise<boolean> {
  const known = (await readPauses(store))?.entries.find(isOf(entry))
  return known?.stampMs === entry.stampMs && known.sweeps === entry.sweeps
}

async function tell(
  job: ConcernedJob,
  { kind, name, phase, resumed, ...paused }: PauseEntry,
  { store, clock, telemetry }: TellJobsOptions,
): Promise<void> {
  const { by, why } = resumed ?? paused
  const command = { kind: phase === 'on' ? ('pause' as const) : ('resume' as const), by, why }
  try {
    const written = await updateJob(store, job, { ...command, with: { kind, name } }, () => clock.now())
    if (written !== null) telemetry.emit(operated(written, command))
  } catch (error) {
    if (!(error instanceof CommandRefused) && !(error instanceof JobUnreadable)) throw error
  }
}
