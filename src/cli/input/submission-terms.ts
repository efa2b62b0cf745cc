import { counted, withoutUndefined } from '../../platform/internal.js'
import type { SubmitOptions } from '../../sas/index.js'
import { submitProblems } from '../../sas/internal.js'
import { CliError, exitCodes } from '../output/cli-error.js'
import { tagsOf } from './tags.js'

export type SubmissionTerms = Omit<SubmitOptions, 'jobId' | 'orderId' | 'alongside'>

interface GivenTerms {
  readonly replyTo?: string
  readonly notify?: readonly string[]
  readonly tag?: readonly string[]
  readonly priority?: string
  readonly completeWithin?: string
  readonly retainFor?: string
  readonly partitionKey?: string
}

/**
 * Returns the terms of each job of a file.
 *
 * @throws CliError naming every invalid option
 */
export function termsOf({ tag, priority, ...given }: GivenTerms): SubmissionTerms {
  const { replyTo, notify, completeWithin, retainFor, partitionKey } = given
  const { tags, problems: wrongTags } = tagsOf(tag)
  const number = priority?.trim() === '' ? Number.NaN : Number(priority)
  const isNumber = priority === undefined || Number.isFinite(number)
  const terms = withoutUndefined({
    replyTo,
    notify: notify as SubmitOptions['notify'],
    completeWithin: completeWithin,
    retainFor: retainFor,
    partitionKey,
    priority: priority === undefined || !isNumber ? undefined : number,
  })
  const found = submitProblems({ jobId: 'any', ...terms, partitionKey: partitionKey ?? 'any' })
  const wrongPriority = isNumber ? [] : [`--priority is ${JSON.stringify(priority)}; it must be a number`]
  const problems = [...wrongPriority, ...found, ...wrongTags]
  if (problems.length > 0) throw new CliError(problems.join('; '), exitCodes.usage)
  return { ...terms, tags }
}

/** Returns what a user should know about jobs that existed before, which keep their terms. Null if there is nothing. */
export function keptTerms(given: GivenTerms, known: number): string | null {
  const { tag, priority, replyTo, notify, completeWithin, retainFor } = given
  const options = {
    '--tag': tag,
    '--priority': priority,
    '--reply-to': replyTo,
    '--notify': notify,
    '--complete-within': completeWithin,
    '--retain-for': retainFor,
  }
  const names = Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  if (known === 0 || names.length === 0) return null
  const jobs = counted(known, 'job was', 'jobs were')
  return `${jobs} submitted before and ${known === 1 ? 'keeps its' : 'keep their'} terms: ${names.join(', ')} changed nothing there`
}
