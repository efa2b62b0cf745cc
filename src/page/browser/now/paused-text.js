/** @import { Pauses } from '../state/shapes.js' */
import { counted } from '../state/formats.js'

/** The most paused workflows, agents and limits that the line names. */
const mostNamed = 4

/**
 * Returns what is paused in one line, or null if nothing is.
 *
 * @param {Pauses} pauses
 */
export function pausedText({ paused, jobs, isCut }) {
  if (paused.length + jobs.length === 0) return null
  const names = paused
    .slice(0, mostNamed)
    .map(({ kind, name }) => `${kind === 'key' ? 'limit' : kind} ${name}`)
  const others = paused.length - names.length
  const count = counted(jobs.length, 'job', 'jobs')
  const parts = [
    ...names,
    ...(others === 0 ? [] : [`${others} more`]),
    ...(jobs.length === 0 ? [] : [isCut ? `more than ${count}` : count]),
  ]
  return `Paused: ${parts.join(', ')}`
}
