import { unknownOptions } from '../../platform/internal.js'
import { durationMs, type Duration } from '../model/duration.js'

/** The options of a submission besides its input, with the defaults of `jobId` and `partitionKey` filled in. */
export interface SubmissionTerms {
  readonly jobId: string
  readonly partitionKey: string
  readonly orderId?: string
  readonly priority?: number
  readonly replyTo?: string
  readonly completeWithin?: Duration
  readonly retainFor?: Duration
}

const maxIdLength = 200
const knownTerms: readonly (keyof SubmissionTerms | 'alongside')[] = [
  'jobId',
  'partitionKey',
  'orderId',
  'alongside',
  'priority',
  'replyTo',
  'completeWithin',
  'retainFor',
]
/** Matches a lone half of a UTF-16 pair. No request can contain it, so the job would be accepted and never read. */
const halfCharacter = /\p{Cs}/u

/**
 * Returns all problems of these terms. Values often come from outside the program, so their types prove nothing. A job
 * stored with an unreadable value would be accepted and never run (I1).
 */
export function submitProblems(terms: SubmissionTerms): string[] {
  const { jobId, partitionKey, orderId, priority, replyTo, completeWithin, retainFor } = terms
  const ids = Object.entries({ jobId, ...(partitionKey === jobId ? {} : { partitionKey }) })
  const texts = Object.entries({ orderId, replyTo })
  const durations = Object.entries({ completeWithin, retainFor })
  return [
    ...unknownOptions(terms, knownTerms),
    ...ids.flatMap(([name, id]) =>
      isText(id) && id.length <= maxIdLength && id === id.trim()
        ? []
        : [`${name} ${said(id)}: must have 1 to ${maxIdLength} characters and no space at its ends`],
    ),
    ...ids.flatMap(([name, id]) =>
      isText(id) && halfCharacter.test(id)
        ? [`${name} ${said(id)}: has half a character (a lone surrogate)`]
        : [],
    ),
    ...texts.flatMap(([name, text]) =>
      text === undefined || isText(text) ? [] : [`${name} ${said(text)} must be a text that is not empty`],
    ),
    ...(priority === undefined || Number.isFinite(priority)
      ? []
      : [`priority ${said(priority)} must be a number`]),
    ...durations.flatMap(([name, duration]) =>
      duration === undefined || durationMs(duration) !== null
        ? []
        : [`${name} ${said(duration)} must be a positive duration such as '30s' or a number of milliseconds`],
    ),
  ]
}

/** The arguments of a call about a job, except its payload. */
export interface CommandTerms {
  readonly needed: Readonly<Record<string, unknown>>
  readonly optional?: Readonly<Record<string, unknown>>
  readonly flags?: Readonly<Record<string, unknown>>
}

/** Returns all problems of the arguments of a call about a job. Does not rely on their declared types. */
export function commandProblems({ needed, optional = {}, flags = {} }: CommandTerms): string[] {
  const given = Object.entries(optional).filter(([, text]) => text !== undefined)
  return [
    ...[...Object.entries(needed), ...given].flatMap(([name, text]) =>
      isText(text) ? [] : [`${name} ${said(text)} must be a text that is not empty`],
    ),
    ...Object.entries(flags).flatMap(([name, flag]) =>
      flag === undefined || typeof flag === 'boolean' ? [] : [`${name} ${said(flag)} must be true or false`],
    ),
  ]
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

function said(value: unknown): string {
  return typeof value === 'number' ? String(value) : JSON.stringify(value)
}
