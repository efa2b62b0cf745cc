import { systemClock, type Clock } from '../../../platform/index.js'
import { compare } from '../../../platform/internal.js'
import { JobNotFound, type Job, type JobView } from '../../../sas/index.js'
import { adviceOn } from '../../../operations/index.js'
import { exitCodeOfSignal, exitCodes } from '../../output/cli-error.js'
import { forSameStore } from '../../output/same-store.js'
import { remark, stepGraph } from '../../output/step-graph.js'
import { missingRoles, notingStandstill } from '../../output/standstill.js'
import { withClient, withExistingStore } from '../../input/store.js'
import type { StoreOptions } from '../../input/store-options.js'
import type { Terminal } from '../../output/terminal.js'
import { untilTold } from '../../running/until-signal.js'

/**
 * Follows a job to its end. Shows a live graph on a terminal, and otherwise prints a line for each change.
 */
export async function watch(
  jobId: string,
  options: StoreOptions,
  terminal: Terminal,
  clock: Clock = systemClock,
): Promise<number> {
  return withExistingStore({ options, terminal }, (settings) =>
    withClient(settings, async (client) => {
      const job = await client.get(jobId)
      if (job === null) throw new JobNotFound(jobId)
      const stopping = new AbortController()
      let told: NodeJS.Signals = 'SIGINT'
      const stop = (signal: NodeJS.Signals): void => {
        told = signal
        stopping.abort()
      }
      untilTold().then(stop, () => undefined)
      // A missing role stands still for every job, and its sentence names the command that starts it.
      const look = async (): Promise<string | null> =>
        (await missingRoles(settings, options)) ?? (await whyOf(job))
      const standstill = { terminal, clock, look }
      try {
        const last = await notingStandstill(standstill, async (changed) => {
          let newest: JobView | null = null
          for await (const view of job.updates({ signal: stopping.signal, hidesSecrets: true })) {
            show(view, newest, options, terminal)
            newest = view
            changed()
          }
          return newest
        })
        return last?.state === 'Processed' ? exitCodes.ok : exitCodes.failed
      } catch (error) {
        if (!stopping.signal.aborted) throw error
        // The job has not ended, so the exit code must not tell a script that it succeeded.
        return exitCodeOfSignal(told)
      } finally {
        terminal.progressDone()
      }
    }),
  )
}

/** Returns why a job is not further, or null if it has ended. */
async function whyOf(job: Job): Promise<string | null> {
  const { endedAt, why } = await job.view({ hidesSecrets: true, readsLeases: true })
  return endedAt === null ? why : null
}

function show(view: JobView, before: JobView | null, options: StoreOptions, terminal: Terminal): void {
  if (options.json === true) terminal.print(JSON.stringify(view))
  else if (terminal.isInteractive) {
    const { width, height } = terminal
    terminal.progress(stepGraph(view, { width, height, now: systemClock.now(), data: options.data }))
  } else for (const line of changes(view, before, options)) terminal.print(line)
}

/** Returns a line for each change, with the time of the change. */
function changes(view: JobView, before: JobView | null, store: StoreOptions): readonly string[] {
  const now = systemClock.now()
  const known = new Map(before?.steps.map((step) => [step.stepId, step]))
  const steps = view.steps.flatMap((step) => {
    const earlier = known.get(step.stepId)
    const isNew = earlier === undefined ? step.state !== 'Pending' : earlier.state !== step.state
    const isRetried = earlier !== undefined && earlier.failureCount !== step.failureCount
    if (!isNew && !isRetried && !isFlagged(step, earlier)) return []
    const note = remark(step, now)
    // The job records that a step is skipped. The document of the step does not change.
    const at = step.state === 'Skipped' ? view.changedAt : step.changedAt
    return [{ at, text: `${step.stepId} ${step.state}${note === '' ? '' : ` (${note})`}` }]
  })
  const job = before?.state === view.state ? [] : [`job ${view.jobId} ${view.state}`]
  const ofJob = [...job, ...whatToDo(view, before, store)].map((text) => ({ at: view.changedAt, text }))
  return [...steps, ...ofJob]
    .map(({ at, text }) => ({ at: at ?? new Date(now).toISOString(), text }))
    .sort((one, other) => compare(one.at, other.at))
    .map(({ at, text }) => `${at.slice(11, 19)} ${text}`)
}

/** Returns advice on a job that was flagged since the view `before`. */
function whatToDo(view: JobView, before: JobView | null, store: StoreOptions): readonly string[] {
  const { attention } = view
  if (attention === null || !isFlagged(view, before)) return []
  const { advice, command } = adviceOn(view, attention)
  return [`→ ${advice}: ${forSameStore(command, store)}`]
}

type Flagged = Pick<JobView, 'attention'>

function isFlagged({ attention }: Flagged, before: Flagged | null | undefined): boolean {
  const earlier = before?.attention
  return attention !== null && (earlier?.kind !== attention.kind || earlier.since !== attention.since)
}
