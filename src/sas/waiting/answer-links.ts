import { createHmac, timingSafeEqual } from 'node:crypto'
import { systemClock, type Clock, type Duration } from '../../platform/index.js'
import { duration, kind, optional, readOptions, text } from '../../platform/options.js'
import { CommandInvalid } from '../model/errors.js'

/** The public address of the page, and the secrets with which its links are signed. */
export interface AnswerLinkOptions {
  /** The address at which people reach the page, such as `https://jobs.example.com`. */
  readonly publicUrl: string
  /**
   * Secrets of at least 32 characters. The first signs, and links that any of them has signed are accepted. To replace
   * a secret, put the new one first, and remove the old one when its links have expired. At most 5.
   */
  readonly keys: readonly string[]
}

/** The question that a link answers, and the person who gets the link. */
export interface LinkedQuestion {
  readonly jobId: string
  /** The id of the step that asks. The question need not be put yet. */
  readonly step: string
  /** The name that is stored with the answer. */
  readonly assignee: string
  /** The job's partition key value, if it differs from the job's id. */
  readonly partitionKey?: string
}

/** The path of the page that links open. */
export const answerPath = '/answer'

/** The longest token that is read. */
const maxTokenLength = 8_192

const keyRule = 'a list of 1 to 5 secrets, each of at least 32 characters'

const shape = {
  publicUrl: kind<string>(
    'an origin without a path, such as "https://jobs.example.com"',
    (value) => typeof value === 'string' && originOf(value) !== null,
  ),
}
const linkShape = {
  jobId: text(),
  step: text(),
  assignee: text(),
  partitionKey: text().optional(),
  expiresIn: optional(duration(1_000), 7 * 86_400_000),
}

/**
 * Makes and reads links with which a person answers a question without an account. A link permits an
 * answer in the name of its assignee, so send each link only to that person.
 */
export class AnswerLinks {
  /** The origin of the links. */
  readonly origin: string
  private readonly keys: readonly string[]

  /** @throws CommandInvalid if an option is invalid. The message contains no secret. */
  constructor(
    options: AnswerLinkOptions,
    private readonly clock: Pick<Clock, 'now'> = systemClock,
  ) {
    const { keys, ...others } = options
    const { values, problems } = readOptions(shape, others)
    const all = areKeys(keys) ? problems : [...problems, `keys must be ${keyRule}`]
    if (all.length > 0) throw new CommandInvalid(`answer links: ${all.join('; ')}`)
    this.origin = originOf(values.publicUrl) ?? ''
    this.keys = keys
  }

  /**
   * Returns a link that answers the question until its first answer, and at most for `expiresIn` (default `'7d'`). The
   * secret part of the link follows `#`, so browsers send it to no server but the page's own, and not in an address.
   *
   * @throws CommandInvalid if an argument is invalid
   */
  linkFor(question: LinkedQuestion & { readonly expiresIn?: Duration }): string {
    const { values, problems } = readOptions(linkShape, question)
    if (problems.length > 0) throw new CommandInvalid(`linkFor: ${problems.join('; ')}`)
    const { jobId, step, assignee, partitionKey = null, expiresIn } = values
    const content = [jobId, partitionKey, step, assignee, this.clock.now() + expiresIn]
    const body = Buffer.from(JSON.stringify(content)).toString('base64url')
    return `${this.origin}${answerPath}#${body}.${signature(this.keys[0] ?? '', body)}`
  }

  /**
   * Returns the question of a token, or null if the token is not signed with one of the secrets or has expired.
   *
   * @internal
   */
  read(token: string): LinkedQuestion | null {
    const [body = '', signed = '', ...others] = token.length > maxTokenLength ? [] : token.split('.')
    // Every secret is tried, so the time does not tell which one fits.
    const fits = this.keys.map((key) => isSame(signature(key, body), signed))
    if (others.length > 0 || !fits.includes(true)) return null
    const content = JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as SignedContent
    const [jobId, partitionKey, step, assignee, expiresAtMs] = content
    if (this.clock.now() >= expiresAtMs) return null
    return { jobId, step, assignee, ...(partitionKey !== null && { partitionKey }) }
  }
}

/** The job, its partition key or null, the step, the assignee and the end of the link. */
type SignedContent = readonly [string, string | null, string, string, number]

/** Signs the text of a link. The prefix separates these signatures from others with the same secret. */
function signature(key: string, body: string): string {
  return createHmac('sha256', key).update(`stepward answer link 1\n${body}`).digest('base64url')
}

/** Compares in a time that does not depend on the texts. */
function isSame(expected: string, given: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(given)]
  return one.length === other.length && timingSafeEqual(one, other)
}

function areKeys(keys: unknown): boolean {
  const isKey = (key: unknown): boolean => typeof key === 'string' && key.length >= 32
  return Array.isArray(keys) && keys.length >= 1 && keys.length <= 5 && keys.every(isKey)
}

/** Returns the origin of an address, or null if the text is not an address of a server without a path. */
function originOf(address: string): string | null {
  if (!URL.canParse(address)) return null
  const { origin, protocol, pathname, search, hash, username } = new URL(address)
  const isBare = pathname === '/' && search === '' && hash === '' && username === ''
  return isBare && (protocol === 'https:' || protocol === 'http:') ? origin : null
}
