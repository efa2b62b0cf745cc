/** @import { JobSummary } from './shapes.js' */
import { durationText } from './formats.js'

/** The time of which the numbers tell. */
const windowMs = 5 * 60_000
/** The largest number of ended jobs that are kept. */
const mostKept = 20_000

/**
 * The end of a job that a view has seen.
 *
 * @typedef {{ key: string, endedMs: number, tookMs: number, steps: number }} End
 */

/**
 * Adds the jobs that have ended to those that were seen before. A job counts once for each end.
 *
 * @param {readonly End[]} seen
 * @param {readonly JobSummary[]} jobs
 * @param {number} now
 * @returns {readonly End[]}
 */
export function withEnds(seen, jobs, now) {
  const known = new Set(seen.map(({ key }) => key))
  const fresh = jobs.flatMap(({ jobId, partitionKey, submittedAt, endedAt, stepCount }) => {
    if (endedAt === null) return []
    const key = JSON.stringify([partitionKey, jobId, endedAt])
    if (known.has(key)) return []
    const endedMs = Date.parse(endedAt)
    return [{ key, endedMs, tookMs: Math.max(0, endedMs - Date.parse(submittedAt)), steps: stepCount }]
  })
  return [...seen, ...fresh].filter(({ endedMs }) => endedMs > now - windowMs).slice(-mostKept)
}

/**
 * Returns the rate of ends, how long jobs took from their submission to their end, and how many steps they have on average.
 *
 * @param {readonly End[]} ends
 * @param {number} now
 * @param {number} sinceMs when the view began to look
 */
export function paceOf(ends, now, sinceMs) {
  const took = ends.map(({ tookMs }) => tookMs).sort((one, other) => one - other)
  const seconds = Math.max(1, Math.min(windowMs, now - sinceMs) / 1_000)
  /** @param {number} share */
  const at = (share) => took[Math.ceil(took.length * share) - 1] ?? null
  const steps = ends.reduce((sum, end) => sum + end.steps, 0)
  return {
    ended: took.length,
    perSecond: took.length / seconds,
    p50Ms: at(0.5),
    p95Ms: at(0.95),
    meanSteps: took.length === 0 ? null : Math.max(1, Math.round(steps / took.length)),
  }
}

export const hourMs = 3_600_000

/** @param {number} ms the time over which figures were counted */
export function overText(ms) {
  return ms < hourMs ? durationText(ms) : `${Math.round(ms / (hourMs / 10)) / 10} h`
}

/**
 * Returns how much of the throughput was used. In a time below an hour, no hour is the busiest.
 *
 * @param {number} share
 * @param {number} overMs
 */
export function shareText(share, overMs) {
  const who = overMs < hourMs ? `The last ${overText(overMs)} use` : 'The busiest hour uses'
  const note = share > 1 ? ', more than there is' : share > 0.8 ? ': little is left' : ''
  return `${who} ${Math.round(share * 1_000) / 10} % of the provisioned throughput${note}.`
}
