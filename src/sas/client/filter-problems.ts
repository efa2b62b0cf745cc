import { unknownOptions } from '../../platform/internal.js'
import { attentionKinds, processStates } from '../model/documents.js'
import type { JobFilter, NoticeFilter } from '../store/job-filter.js'

const jobFilters: readonly (keyof JobFilter)[] = [
  'state',
  'workflow',
  'since',
  'before',
  'after',
  'isFlagged',
  'attention',
  'step',
  'limit',
]
const noticeFilters: readonly (keyof NoticeFilter)[] = ['jobId', 'workflow', 'limit']

/**
 * Returns all problems of a filter of jobs. A misspelt filter would match every job, and a command on a selection
 * would then be carried out on all of them.
 */
export function jobFilterProblems(filter: JobFilter): string[] {
  const { state, attention, since, before } = filter
  return [
    ...unknownOptions(filter, jobFilters),
    ...notOneOf('state', state, processStates),
    ...notOneOf('attention', attention, attentionKinds),
    ...Object.entries({ since, before }).flatMap(([name, at]) =>
      at === undefined || (at instanceof Date && !Number.isNaN(at.getTime()))
        ? []
        : [`${name} must be a valid Date`],
    ),
    ...limitProblems(filter),
  ]
}

export function noticeFilterProblems(filter: NoticeFilter): string[] {
  return [...unknownOptions(filter, noticeFilters), ...limitProblems(filter)]
}

function limitProblems({ limit }: { readonly limit?: number }): string[] {
  const isFine = limit === undefined || (Number.isInteger(limit) && limit >= 1)
  return isFine ? [] : [`limit ${String(limit)} must be a whole number from 1`]
}

function notOneOf(name: string, value: string | undefined, known: readonly string[]): string[] {
  if (value === undefined || known.includes(value)) return []
  return [`${name} ${JSON.stringify(value)} must be one of ${known.join(', ')}`]
}
