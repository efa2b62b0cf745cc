/** @import { Job, Step } from './shapes.js' */

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
  const { submittedAt, endedAt, audit, compensation, notices, diagnostics, steps, state } = job
  /** @type {Moment[]} */
  const moments = [moment(submittedAt, 'submitted', 'plain')]
  for (const step of steps) moments.push(...momentsOfStep(step))
  for (const { at, by, message } of diagnostics)
    moments.push({ ...moment(at, 'reported', 'bad', message), by })
  for (const { at, by, why, command, stepId } of audit) {
    moments.push({ ...moment(at, `${command} by ${by}`, 'person', why), stepId })
  }
  if (compensation !== null) {
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
  if (endedAt !== null)
    moments.push(moment(endedAt, `ended ${state}`, state === 'Processed' ? 'good' : 'bad'))
  return moments.sort((one, other) => Date.parse(one.at) - Date.parse(other.at))
}

/**
 * @param {Step} step
 * @returns {Moment[]}
 */
function momentsOfStep({ stepId, outcome, diagnostics, event, attention }) {
  const failures = diagnostics.map(({ at, by, attempt, message }) => ({
    ...moment(at, `attempt ${attempt} failed`, 'bad', message),
    by,
  }))
  const told = outcome?.kind === 'success' ? [{ ...moment(outcome.at, 'done', 'good'), by: outcome.by }] : []
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
