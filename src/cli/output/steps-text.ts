import { counted } from '../../platform/internal.js'
import type { StepView } from '../../sas/index.js'
import { durationText } from './duration-text.js'
import { fitted } from './fitted.js'
import { eventText, shortProgress } from './step-graph.js'
import { stateText, table, wrapped } from './terminal.js'

/** The most steps that are shown one by one. A job with more steps is summarised. */
const mostShown = 50

const head = ['STEP', 'STATE', 'ATTEMPT', 'FAILED', 'TIME', 'COMPLETE BY', 'LAST DIAGNOSTIC']

/** The space for the table, and the time up to which the work of steps is counted. */
export interface Space {
  readonly width: number
  /** Milliseconds since the epoch. */
  readonly now: number
}

/**
 * Returns the steps of a job as a table. If there are too many, returns the number of steps in each state, and a
 * table of the steps that failed, run or wait. The steps that failed come first.
 */
export function stepsText(steps: readonly StepView[], space: Space): string {
  const { width } = space
  if (steps.length <= mostShown) return tableOf(steps, space)
  const telling = [...steps.filter(hasFailed), ...steps.filter((step) => !hasFailed(step) && isOpen(step))]
  const shown = telling.slice(0, mostShown)
  const left = telling.length - shown.length
  const more = left === 0 ? '' : `\n… and ${counted(left, 'more step')} that failed, run or wait`
  const counts = `${counted(steps.length, 'step')}: ${countsText(steps)}; --json shows every step`
  const summary = wrapped(counts, width, '')
  return shown.length === 0 ? summary : `${summary}\n\n${tableOf(shown, space)}${more}`
}

function hasFailed({ state, attention }: StepView): boolean {
  return attention !== null || ['Error', 'Failed', 'TimedOut', 'Refused'].includes(state)
}

/** Checks whether a step was begun and is not over. */
function isOpen({ state, failureCount }: StepView): boolean {
  return state === 'Processing' || state === 'Compensating' || (state === 'Pending' && failureCount > 0)
}

/** Returns the number of steps in each state, the most frequent state first. */
function countsText(steps: readonly StepView[]): string {
  const counts = new Map<string, number>()
  for (const { state } of steps) counts.set(state, (counts.get(state) ?? 0) + 1)
  const byCount = [...counts].sort(([, one], [, other]) => other - one)
  return byCount.map(([state, count]) => `${count} ${state}`).join(', ')
}

/** Returns the time since the beginning of a step, or the time between its beginning and its end. */
function timeOf({ startedAt, endedAt }: StepView, now: number): string {
  if (startedAt === null) return ''
  return durationText(Math.max(0, (endedAt === null ? now : Date.parse(endedAt)) - Date.parse(startedAt)))
}

/** Returns how far a step is, or else its newest failure. A step that waits has collected events. */
function lastOf(step: StepView): string {
  const progress = shortProgress(step)
  return progress === '' ? (step.diagnostics.at(-1)?.message ?? eventText(step)) : progress
}

function tableOf(steps: readonly StepView[], { width, now }: Space): string {
  const rows = steps.map((step) => [
    step.stepId,
    step.attention === null || step.state === 'Error' ? step.state : `${step.state}, ${step.attention.kind}`,
    step.attempt === 0 ? '' : String(step.attempt),
    `${step.failureCount}/${step.maxFailures}`,
    timeOf(step, now),
    step.completeBy?.slice(0, 19) ?? '',
    lastOf(step),
  ])
  const cells = fitted(head, rows, width)
  return table(
    head,
    cells.map((row) => row.map((cell, column) => (column === 1 ? stateText(cell) : cell))),
  )
}
