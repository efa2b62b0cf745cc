/** @import { Found, Group, Question, Questions } from '../state/shapes.js' */

/**
 * Returns the open questions of a group. The groups of the other kinds have none.
 *
 * @param {Pick<Group, 'kind' | 'stepId' | 'jobIds'>} group
 * @param {readonly Question[]} questions
 */
export function questionsOf({ kind, jobIds, stepId }, questions) {
  if (kind !== 'unanswered' && kind !== 'escalated') return []
  const ids = new Set(jobIds)
  return questions.filter((one) => one.stepId === stepId && ids.has(one.jobId))
}

/**
 * Returns how many problems and questions need a person, and how many of them are questions. A question whose job is
 * flagged for it is one of the problems, and counts once.
 *
 * @param {Pick<Found, 'groups' | 'jobs' | 'notices'>} found
 * @param {Pick<Questions, 'questions'>} asking
 */
export function needs({ groups, jobs, notices }, { questions }) {
  const flagged = new Set(groups.flatMap((group) => questionsOf(group, questions)))
  return { total: jobs + notices + questions.length - flagged.size, questions: questions.length }
}
