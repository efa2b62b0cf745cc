import type { Duration } from '../../platform/index.js'
import {
  duration,
  flag,
  isText,
  kind,
  readOptions,
  text,
  textThat,
  type Shape,
} from '../../platform/options.js'
import { noticeKinds, type NoticeKind } from '../model/documents.js'
import { personName, reasonText } from '../model/values/said-texts.js'

/**
 * The options of a submission without its input. The defaults of `jobId` and `partitionKey` are filled in.
 */
export interface SubmissionTerms {
  readonly jobId: string
  readonly partitionKey: string
  readonly orderId?: string
  readonly priority?: number
  readonly replyTo?: string
  readonly notify?: readonly NoticeKind[]
  readonly completeWithin?: Duration
  readonly retainFor?: Duration
}

export const maxIdLength = 200
/**
 * Matches a lone half of a UTF-16 pair. A request cannot contain such a half. A job with such an id would be
 * accepted but could never be read.
 */
const halfCharacter = /\p{Cs}/u

const id = textThat(
  `a text of 1 to ${maxIdLength} characters, with no space at its ends and no lone surrogate`,
  (value) =>
    isText(value) && value.length <= maxIdLength && value === value.trim() && !halfCharacter.test(value),
)

/** The events that a submitter may ask for. An empty list would be another way to say that there is no receiver. */
export const notify = kind<readonly NoticeKind[]>(
  `a list of at least one of ${noticeKinds.join(', ')}`,
  (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    (value as NoticeKind[]).every((each) => noticeKinds.includes(each)),
)

const shape = {
  jobId: id,
  partitionKey: id,
  orderId: text().optional(),
  /** The listed documents are checked one by one elsewhere. */
  alongside: kind('a list of documents', () => true),
  priority: kind<number>('a number', Number.isFinite).optional(),
  replyTo: text().optional(),
  notify: notify.optional(),
  completeWithin: duration().optional(),
  retainFor: duration().optional(),
  /** The tags are checked elsewhere. */
  tags: kind('an object with tags', () => true),
}

/**
 * Returns all problems of these terms. The values often come from outside the program, so their declared
 * types prove nothing. Without this check, a job with an unreadable value would be accepted and never run
 * (I1).
 */
export function submitProblems(terms: SubmissionTerms): readonly string[] {
  const { partitionKey, ...others } = terms
  const isOwnPartition = partitionKey !== terms.jobId
  const { partitionKey: _partitionKey, ...unkeyed } = shape
  return isOwnPartition ? readOptions(shape, terms).problems : readOptions(unkeyed, others).problems
}

/** Returns the problems of the id of a new job, under the name that the caller gave it. */
export function idProblems(name: string, value: unknown): readonly string[] {
  return readOptions({ [name]: id }, { [name]: value }).problems
}

/** The arguments of a client method that concerns one job, except its payload. */
export interface CommandTerms {
  readonly needed: Readonly<Record<string, unknown>>
  readonly optional?: Readonly<Record<string, unknown>>
  readonly flags?: Readonly<Record<string, unknown>>
  /** The options as they were given, so that a misspelt name is found. */
  readonly others?: object
}

/** The longest name of a document in a call. The store refuses longer ids, so no document has one. */
const maxNameLength = 1_000

/** The kinds of arguments that are kept in documents, or that name one. */
const kindsByName = new Map([
  ['jobId', text(maxNameLength)],
  ['partitionKey', text(maxNameLength)],
  ['step', text(maxNameLength)],
  ['by', personName],
  ['why', reasonText],
  ['reason', reasonText],
  ['note', reasonText],
])

/**
 * Returns all problems of the arguments of a call about a job, without relying on their declared types. A name in
 * `others` that is not one of these arguments is a problem.
 */
export function commandProblems(terms: CommandTerms): readonly string[] {
  const { needed, optional = {}, flags = {}, others = {} } = terms
  const kinds: Shape = {
    ...each(needed, (name) => kindsByName.get(name) ?? text()),
    ...each(optional, (name) => (kindsByName.get(name) ?? text()).optional()),
    ...each(flags, () => flag().optional()),
  }
  return readOptions(kinds, { ...others, ...needed, ...optional, ...flags }).problems
}

function each(names: object, of: (name: string) => Shape[string]): Shape {
  return Object.fromEntries(Object.keys(names).map((name) => [name, of(name)]))
}
