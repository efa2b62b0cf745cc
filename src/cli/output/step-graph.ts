import { adviceOn } from '../../operations/index.js'
import { counted, withoutUndefined } from '../../platform/internal.js'
import type { JobView, StepView } from '../../sas/index.js'
import { fitted } from './fitted.js'
import { forSameStore } from './same-store.js'
import { stateText } from './terminal.js'

/** The space for the graph, and the time at which it is drawn. */
export interface Room {
  readonly width: number
  readonly height: number
  /** Milliseconds since the epoch. A time on another day is shown with its date. */
  readonly now: number
  /** The data directory of the store, which a suggested command must name. */
  readonly data?: string | undefined
}

/** The lines around the steps: the job above, a blank line, the summary below, and the line of the cursor. */
const otherLines = 4

const marks: Readonly<Record<StepView['state'], string>> = {
  Pending: '·',
  Processing: '▸',
  Processed: '✓',
  Error: '✗',
  Compensating: '↶',
  Compensated: '↺',
  Skipped: '–',
  Failed: '✗',
  TimedOut: '✗',
  Refused: '✗',
}

/**
 * Draws a job with its steps, each indented below the steps that it waits for. If there is not enough room,
 * leaves out first the finished steps, and then the steps that have not started.
 */
export function stepGraph(job: JobView, { width, height, now, data }: Room): string {
  const depths = depthsOf(job.steps)
  const below = whatToDo(job, withoutUndefined({ data }))
  const shown = mostTelling(job.steps, Math.max(1, height - otherLines - below.length))
  const rows = shown.map((step) => {
    const indent = '  '.repeat(Math.min(depths.get(step.stepId) ?? 0, 8))
    return [`${indent}${marks[step.state]} ${step.stepId}`, step.state, remark(step, now)]
  })
  const fits = fitted(['', '', ''], rows, width - 1)
  const widths = [0, 1].map((column) => Math.max(0, ...fits.map((row) => row[column]?.length ?? 0)))
  const lines = fits.map(([name = '', state = '', note = '']) => {
    const padding = ' '.repeat((widths[1] ?? 0) - state.length)
    return `${name.padEnd(widths[0] ?? 0)}  ${stateText(state)}${padding}  ${note}`.trimEnd()
  })
  const head = `${job.jobId}  ${job.workflow}  ${stateText(job.state)}`
  const left = job.steps.length - shown.length
  return [head, ...lines, ...(left > 0 ? [`… and ${counted(left, 'more step')}`] : []), ...below].join('\n')
}

/** Returns advice on a job that needs attention, with the command for the same store on its own line. */
export function whatToDo(
  job: Pick<JobView, 'jobId' | 'workflow' | 'attention'>,
  store: { readonly data?: string },
): readonly string[] {
  if (job.attention === null) return []
  const { advice, command } = adviceOn(job, job.attention)
  return [`→ ${advice}:`, `    ${forSameStore(command, store)}`]
}

/** Returns a short remark about a step: its problem, its attempt or its deadline. */
export function remark(step: StepView, now: number): string {
  const { state, attempt, round, progress, failureCount, completeBy, notBefore, attention, diagnostics } =
    step
  // The state already shows that the step failed. If the job went on without the step, only the diagnostics say why.
  if (marks[state] === marks.Error) return attention?.message ?? diagnostics.at(-1)?.message ?? ''
  if (attention !== null) return `${attention.kind}: ${attention.message}`
  const until = completeBy === null ? '' : `until ${momentText(completeBy, now)}`
  const again = notBefore === null ? '' : `, again at ${momentText(notBefore, now)}`
  const failed = `failed ${failureCount}×: ${diagnostics.at(-1)?.message ?? 'not done in time'}`
  // A step that is up without a deadline is in the pause after a failed attempt.
  if (completeBy === null && again !== '' && failureCount > 0) return `${failed}${again}`
  if (state === 'Processing' || state === 'Compensating') {
    const tries = attempt > 1 ? `attempt ${attempt}` : ''
    const parts = [progressText(progress), eventText(step), roundText(round), tries, until]
    return parts.filter((part) => part !== '').join(', ')
  }
  if (state === 'Pending' && failureCount > 0) return failed
  if (state === 'Pending' && round !== null)
    return `${roundText(round)}${completeBy === null ? '' : ` at ${momentText(completeBy, now)}`}`
  return ''
}

/** Returns a text such as `120 of 500: invoices`. */
function progressText(progress: StepView['progress']): string {
  return [amountText(progress), progress?.note ?? ''].filter((part) => part !== '').join(': ')
}

/** Returns a text such as `120 of 500`, or an empty text. */
function amountText(progress: StepView['progress']): string {
  if (progress === null) return ''
  const { done, of } = progress
  return [done ?? '', of === undefined ? '' : `of ${of}`].join(' ').trim()
}

/** Returns how far an open step is, so short that a column of a table shows it: the note only without a number. */
export function shortProgress({ state, progress }: Pick<StepView, 'state' | 'progress'>): string {
  if (state !== 'Processing' && state !== 'Compensating') return ''
  const amount = amountText(progress)
  return amount === '' ? (progress?.note ?? '') : amount
}

/** Returns how many events have arrived for a step that has not ended, or an empty text. */
export function eventText({ collect, event, state }: Pick<StepView, 'collect' | 'event' | 'state'>): string {
  if (collect !== null) return `${collect.events.length} of ${collect.count} events have arrived`
  return event !== null && state === 'Pending' ? 'its event has arrived' : ''
}

function roundText(round: StepView['round']): string {
  return round === null ? '' : `round ${round.number} of at most ${round.atMost}`
}

/** Formats a time in UTC, with its date if the date is not today. */
function momentText(at: string, now: number): string {
  const isToday = at.slice(0, 10) === new Date(now).toISOString().slice(0, 10)
  return isToday ? at.slice(11, 19) : at.slice(0, 19)
}

/** Returns, for each step, the length of the longest chain of steps before it. */
function depthsOf(steps: readonly StepView[]): ReadonlyMap<string, number> {
  const depths = new Map<string, number>()
  // A workflow lists the dependencies of a step before the step, so one pass is enough.
  for (const { stepId, dependsOn } of steps) {
    depths.set(stepId, Math.max(0, ...dependsOn.map((id) => (depths.get(id) ?? 0) + 1)))
  }
  return depths
}

function mostTelling(steps: readonly StepView[], room: number): readonly StepView[] {
  if (steps.length <= room) return steps
  const rank = ({ state, attention }: StepView): number => {
    if (attention !== null || state === 'Error') return 0
    if (state === 'Processing' || state === 'Compensating') return 1
    return state === 'Pending' ? 2 : 3
  }
  const kept = new Set([...steps].sort((a, b) => rank(a) - rank(b)).slice(0, room))
  return steps.filter((step) => kept.has(step))
}
