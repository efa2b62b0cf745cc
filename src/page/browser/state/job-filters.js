/** @import { JobSummary } from './shapes.js' */
import { counted } from './formats.js'

/** The filters of the list of jobs. Each is a parameter of the address and of the API. */
export const filterNames = [
  ...[
    'state',
    'workflow',
    'step',
    'text',
    'tag',
    'waitingFor',
    'agent',
    'since',
    'until',
    'took',
    'attention',
  ],
]

/** What a step can wait for, in words. */
export const waits = /** @type {const} */ ([
  ['question', 'an answer'],
  ['event', 'an event'],
  ['time', 'a time'],
  ['retry', 'its next attempt'],
  ['limit', 'a limit'],
])

/**
 * Checks whether a changed job is new in the list. Of some filters, only the store knows which jobs match. Lists with
 * these filters announce no job.
 *
 * @param {JobSummary} job
 * @param {Record<string, string>} filter
 */
export function matches(job, filter) {
  const { state, workflow, step, text, tag, attention } = filter
  if (filter['waitingFor'] || filter['agent'] || filter['until'] || filter['took']) return false
  if (state && job.state !== state) return false
  if (workflow && job.workflow !== workflow) return false
  if (step && job.attention?.stepId !== step) return false
  if (tag && !Object.entries(job.tags).some(([name, value]) => `${name}=${value}` === tag)) return false
  if (text && ![job.jobId, job.orderId, job.workflow].some((part) => contains(part, text))) return false
  return !attention || job.attention !== null
}

/**
 * Checks whether a job belongs to the part of the list that is shown: the list has no further page, or the job is not older
 * than the last job that is shown. An older job is on a later page.
 *
 * @param {JobSummary} job
 * @param {{ jobs: readonly JobSummary[], next: string | null } | null} page
 */
export function isWithin({ submittedAt }, page) {
  const last = page?.jobs.at(-1)
  return last === undefined || page?.next === null || submittedAt >= last.submittedAt
}

/**
 * @param {string} text
 * @param {string} part
 */
function contains(text, part) {
  return text.toLowerCase().includes(part.toLowerCase())
}

/** The largest number of jobs that are remembered. A view may stay open for days while new jobs come. */
const mostUnseen = 1_000

/**
 * Adds the keys of new jobs. At the limit it returns the same set, so that nothing is copied or drawn.
 *
 * @param {ReadonlySet<string>} unseen
 * @param {readonly string[]} fresh
 * @returns {ReadonlySet<string>}
 */
export function withUnseen(unseen, fresh) {
  if (unseen.size >= mostUnseen || fresh.every((key) => unseen.has(key))) return unseen
  return new Set([...new Set([...unseen, ...fresh])].slice(0, mostUnseen))
}

/** @param {ReadonlySet<string>} unseen */
export function unseenText({ size }) {
  return size < mostUnseen
    ? counted(size, 'new job', 'new jobs')
    : `${mostUnseen.toLocaleString('en')} new jobs or more`
}
