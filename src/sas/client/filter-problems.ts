import {
  date,
  duration,
  flag,
  isObject,
  kind,
  oneOf,
  readOptions,
  text,
  wholeNumber,
} from '../../platform/options.js'
import { attentionKinds, processStates } from '../model/documents.js'
import { readTags } from '../model/tags.js'
import { waitKinds } from '../store/filters/waiting-steps.js'
import type { JobFilter, NoticeFilter, QuestionFilter } from '../store/filters/job-filter.js'

const limit = wholeNumber(1).optional()

const jobShape = {
  state: oneOf(...processStates).optional(),
  workflow: text().optional(),
  since: date().optional(),
  before: date().optional(),
  after: kind<object>('the last job of a page', isJobOfPage).optional(),
  // No query finds the jobs that are not flagged.
  isFlagged: kind<true>('true', (value) => value === true).optional(),
  isPaused: flag().optional(),
  attention: oneOf(...attentionKinds).optional(),
  step: text().optional(),
  text: text().optional(),
  waitingFor: oneOf(...waitKinds).optional(),
  agent: text().optional(),
  tookAtLeast: duration().optional(),
  tags: kind<object>('an object such as { customer: 4711 }', isObject).optional(),
  limit,
}

/** Checks the fields of a summary that name the position of a page. */
function isJobOfPage(value: unknown): boolean {
  if (!isObject(value)) return false
  const { jobId, submittedAt } = value as { readonly jobId?: unknown; readonly submittedAt?: unknown }
  return typeof jobId === 'string' && typeof submittedAt === 'string'
}

const noticeShape = { jobId: text().optional(), workflow: text().optional(), limit }

/**
 * Returns all problems of a filter of jobs. If a misspelt filter were ignored, a command would change every
 * job.
 */
export function jobFilterProblems(filter: JobFilter): readonly string[] {
  const { problems } = readOptions(jobShape, filter)
  return isObject(filter) && isObject(filter.tags)
    ? [...problems, ...readTags(filter.tags).problems]
    : problems
}

export function noticeFilterProblems(filter: NoticeFilter): readonly string[] {
  return readOptions(noticeShape, filter).problems
}

const questionShape = {
  assignee: text().optional(),
  workflow: text().optional(),
  newestFirst: flag().optional(),
  limit,
}

export function questionFilterProblems(filter: QuestionFilter): readonly string[] {
  return readOptions(questionShape, filter).problems
}
