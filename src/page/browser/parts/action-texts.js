/** The texts of the dialog of an action. */
/**
 * @import { Asked } from './action-dialog.js'
 * @import { Fields } from './action-decision.js'
 */
import { actionKinds } from '../state/action-kinds.js'
import { counted } from '../state/formats.js'

/**
 * Returns what the action does to its target, if this is not the same for all targets.
 *
 * @param {Asked} present
 * @param {Fields} fields
 */
export function effectOf({ kind, target, isUndo = false }, { more }) {
  const isKey = target !== undefined && (target.what || more['what']) === 'key'
  if (isKey && kind === 'pause')
    return 'No step with this limit begins during the pause. Steps at work run to their end. The time of a step does not run while it waits, but the deadline of its job does.'
  if (isKey && kind === 'resume') return 'Steps begin again, and the limit is what it was before the pause.'
  if (isUndo && kind === 'resubmit')
    return 'The undos that failed are tried again, and the undo of the job goes on.'
  return actionKinds[kind].effect
}

/** @param {Asked} present */
export function hintFirst({ filter }) {
  return filter === undefined
    ? 'A dry run says what would stand still.'
    : 'A dry run says how many jobs match.'
}

/**
 * Returns the text of the button that acts. It names what is changed, so that “Cancel” cannot mean the dialog.
 *
 * @param {Asked} present
 * @param {number} jobCount
 */
export function buttonText({ kind, target }, jobCount) {
  const { title, namesJobs } = actionKinds[kind]
  if (target !== undefined) return target.name === '' ? title : `${title} ${target.what} ${target.name}`
  if (namesJobs !== true || jobCount === 0) return title
  return jobCount === 1 ? `${title} this job` : `${title} ${jobCount} jobs`
}

/** @param {Asked} present */
export function what({
  kind,
  jobs = [],
  filter,
  thing = 'every job that matches',
  limit,
  target,
  schedule = limit,
}) {
  if (target !== undefined) {
    return target.name === '' ? 'a workflow, an agent or a key' : `${target.what} ${target.name}`
  }
  if (schedule !== undefined) return schedule
  if (kind === 'limit set') return 'a limit that is not listed'
  if (kind === 'schedule set') return 'a new schedule'
  if (actionKinds[kind].on === 'fleet') return 'instances'
  if (filter !== undefined) return thing
  const [first] = jobs
  return jobs.length === 1 && first !== undefined ? first.jobId : counted(jobs.length, 'job', 'jobs')
}
