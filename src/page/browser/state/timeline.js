/** @import { Interval, Job, Step } from './shapes.js' */
import { durationText } from './formats.js'

/**
 * @typedef {{ at: string, what: string, kind: 'good' | 'bad' | 'person' | 'plain', stepId: string | null,
 *   detail: string, by: string }} Moment
 */

/**
 * Returns what the documents of a job record about its past, the oldest first.
 *
 * @param {Job} job
 * @returns {Moment[]}
 */
export function timelineOf(job) {
  const { submittedAt, endedAt, audit, compensation, notices, diagnostics, steps, state, restartedAs } = job
  /** @type {Moment[]} */
  const moments = [submission(job)]
  for (const step of steps) {
    const own = momentsOfStep(step, compensation?.since ?? '')
    moments.push(...own.filter(({ at }) => at >= submittedAt))
    // What happened before is the past of the job that was restarted, and its end is enough here.
    const last = own.findLast(({ at }) => at < submittedAt)
    if (last !== undefined) moments.push({ ...last, at: submittedAt, what: `taken over: ${last.what}` })
  }
  for (const { at, by, message } of diagnostics)
    moments.push({ ...moment(at, 'reported', 'bad', message), by })
  for (const { at, by, why, command, stepId } of audit) {
    moments.push({ ...moment(at, `${command} by ${by}`, 'person', why), stepId })
  }
  // The newer job of the restart owns the undo.
  if (compensation !== null && restartedAs === null) {
    moments.push({
      ...moment(compensation.since, 'undo began', 'bad', compensation.reason),
      by: compensation.by,
    })
  }
  for (const { kind, sentAt, receiver, attention } of notices) {
    if (sentAt !== null) moments.push(moment(sentAt, `notice "${kind}" sent`, 'plain', receiver))
    if (attention !== null) {
      moments.push(moment(attention.since, `notice "${kind}" given up`, 'bad', attention.message))
    }
  }
  if (endedAt !== null) moments.push(moment(endedAt, endText(job), state === 'Processed' ? 'good' : 'bad'))
  return moments.sort((one, other) => Date.parse(one.at) - Date.parse(other.at))
}

/**
 * @param {Job} job
 * @returns {Moment}
 */
function submission({ submittedAt, restartOf }) {
  if (restartOf === null) return moment(submittedAt, 'submitted', 'plain')
  const { jobId, from, by, why } = restartOf
  return moment(submittedAt, `restart of ${jobId} from step ${from} by ${by}`, 'person', why)
}

/**
 * Returns the decisions of operators about a job, the oldest first. The restart that made a job is the first.
 *
 * @param {Pick<Job, 'audit' | 'restartOf'>} job
 */
export function decisionsOf({ audit, restartOf }) {
  const rows = audit.map((row) => ({
    ...row,
    what: row.stepId === null ? row.command : `${row.command} ${row.stepId}`,
  }))
  if (restartOf === null) return rows
  const { at, by, why, jobId, from } = restartOf
  return [{ at, by, why, what: `restart of ${jobId} from step ${from}` }, ...rows]
}

/**
 * Returns how the job ended. A restart later gives a failed job another state, which is left out.
 *
 * @param {Job} job
 */
function endText({ state, restartedAs }) {
  return restartedAs !== null && state === 'Compensated' ? 'ended' : `ended ${state}`
}

/**
 * @param {Step} step
 * @param {string} undoneSince the time at which the undo of the job began, or an empty text
 * @returns {Moment[]}
 */
function momentsOfStep({ stepId, direction, outcome, diagnostics, event, attention }, undoneSince) {
  // The newest outcome of a step that is undone is that of its undo.
  const isUndo = (/** @type {string} */ at) => direction === 'undo' && undoneSince !== '' && at >= undoneSince
  const failures = diagnostics.map(({ at, by, attempt, message }) => ({
    ...moment(at, `${isUndo(at) ? 'undo, ' : ''}attempt ${attempt} failed`, 'bad', message),
    by,
  }))
  const told =
    outcome?.kind === 'success'
      ? [{ ...moment(outcome.at, isUndo(outcome.at) ? 'undone' : 'done', 'good'), by: outcome.by }]
      : []
  const raised = event === null ? [] : [eventMoment(event)]
  const flagged =
    attention === null ? [] : [moment(attention.since, attention.kind, 'bad', attention.message)]
  return [...failures, ...told, ...raised, ...flagged].map((one) => ({ ...one, stepId }))
}

/**
 * Only the answer to a question has the name of a person.
 *
 * @param {NonNullable<Step['event']>} event
 * @returns {Moment}
 */
function eventMoment({ at, by, note }) {
  const what = by === undefined ? 'event raised' : `answered by ${by}`
  return moment(at, what, 'person', note ?? '')
}

/**
 * @param {string} at
 * @param {string} what
 * @param {Moment['kind']} kind
 * @param {string} [detail]
 * @returns {Moment}
 */
function moment(at, what, kind, detail = '') {
  return { at, what, kind, stepId: null, detail, by: '' }
}

/** The least width of a bar that a person can see, in per cent. */
const leastWidth = 0.4

/**
 * A bar on the axis of time, in per cent of its length.
 *
 * @typedef {{ kind: string, isExact: boolean, left: number, width: number, title: string }} Bar
 */

/**
 * Returns the bars of each step that has some, the steps in the order of the workflow. Pauses of the job come first.
 *
 * The axis of a failed job ends now, because the job still waits for its operator.
 *
 * @param {Pick<Job, 'submittedAt' | 'endedAt' | 'intervals' | 'steps' | 'state'>} job
 * @param {number} now
 */
export function barsOf({ submittedAt, endedAt, intervals, steps, state }, now) {
  const isOpen = endedAt === null || state === 'Error'
  const startMs = Date.parse(submittedAt)
  const ends = intervals.map(({ to, from }) => Date.parse(to ?? from))
  const endMs = Math.max(startMs + 1, ...ends, isOpen ? now : Date.parse(endedAt))
  const scale = 100 / (endMs - startMs)
  /** @param {Interval} interval */
  const bar = ({ kind, from, to, what, isExact }) => {
    const left = Math.min(100 - leastWidth, Math.max(0, (Date.parse(from) - startMs) * scale))
    const toMs = to === null ? endMs : Date.parse(to)
    const width = Math.max(leastWidth, Math.min(100 - left, (toMs - Date.parse(from)) * scale))
    return { kind, isExact, left, width, title: `${what}, ${lengthOf({ from, to, isExact }, now)}` }
  }
  const rows = [null, ...steps.map(({ stepId }) => stepId)].flatMap((stepId) => {
    const own = intervals.filter((interval) => interval.stepId === stepId)
    if (own.length === 0) return []
    const texts = own.map((interval) => ({ what: interval.what, length: lengthOf(interval, now) }))
    return [{ stepId, bars: own.map(bar), texts }]
  })
  return { rows, startMs, endMs, isOpen }
}

/**
 * Returns the length of an interval. One whose beginning is not recorded may contain a wait.
 *
 * @param {Pick<Interval, 'from' | 'to' | 'isExact'>} interval
 * @param {number} now
 */
function lengthOf({ from, to, isExact }, now) {
  if (to === null) return `for ${durationText(now - Date.parse(from))}`
  return `${isExact ? '' : 'at most '}${durationText(Date.parse(to) - Date.parse(from))}`
}
