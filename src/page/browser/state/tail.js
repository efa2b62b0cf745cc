/** @import { Changes } from './shapes.js' */

/**
 * A change as the tail shows it.
 *
 * @typedef {{ key: number, at: string, jobId: string, partitionKey: string, what: string, state: string,
 *   more: string }} Line
 */

/** The largest number of lines that are kept. */
const mostLines = 500

/**
 * Adds changes to the lines, the newest first.
 *
 * @param {readonly Line[]} lines
 * @param {Changes} changes
 * @param {string} at
 * @returns {readonly Line[]}
 */
export function withChanges(lines, { jobs, steps, isCut }, at) {
  const first = (lines[0]?.key ?? 0) + 1
  const cut = { jobId: '', partitionKey: '', what: 'more changes than are shown', state: '', more: '' }
  const fresh = [
    ...steps.map(({ jobId, partitionKey, stepId, state }) => ({
      jobId,
      partitionKey,
      what: `step ${stepId}`,
      state,
      more: '',
    })),
    ...jobs.map(({ jobId, partitionKey, state, workflow, stepsDone, stepCount, attention }) => ({
      jobId,
      partitionKey,
      what: `job of ${workflow}`,
      state,
      more: attention === null ? `${stepsDone}/${stepCount}` : `${attention.kind}: ${attention.message}`,
    })),
    ...(isCut ? [cut] : []),
  ].map((line, index) => ({ ...line, at, key: first + index }))
  return [...fresh.reverse(), ...lines].slice(0, mostLines)
}

/**
 * @param {Line} line
 * @param {string} text
 */
export function isLineWith({ jobId, what, state, more }, text) {
  const wanted = text.trim().toLowerCase()
  return [jobId, what, state, more].some((part) => part.toLowerCase().includes(wanted))
}
