import type { ChangePage } from '../../change-feed-processor/feed/change-feed.js'
import { FeedError } from '../../change-feed-processor/feed/errors.js'
import type { ApplyResult, DocumentAddress } from '../../sas/store/state-store.js'
import { sentError, type DoorRequest } from './door-messages.js'

/** The methods of the state store whose results are sent as they are. */
export const stateMethods = [
  'listSteps',
  'listNotices',
  'listOverdue',
  'listUnsent',
  'listFlagged',
  'listConcerned',
  'listUnreadable',
] as const

/** The methods that return documents. */
const largeMethods: ReadonlySet<unknown> = new Set([
  ...stateMethods,
  ...['read', 'readNext', 'readAllVersions', 'lease'],
])

/** Checks whether the answer of a request may be large. */
export function mayBeLarge([, method, , inner]: DoorRequest): boolean {
  return largeMethods.has(method === 'as' ? inner : method)
}

/** Returns the text of an answer. */
export function jsonText(value: unknown): string {
  return value === undefined ? 'null' : JSON.stringify(value)
}

/** Returns the text of a page of the feed, whose changes are texts already. */
export function pageText({ changes, ...page }: ChangePage<string>): string {
  return `{"changes":[${changes.join(',')}],${JSON.stringify(page).slice(1)}`
}

/** Returns the result of a write with its cause as it is sent. */
export function withSentCause(result: ApplyResult): object {
  return result.kind === 'unknownOutcome' ? { ...result, cause: sentError(result.cause) } : result
}

/** Throws the cause of an error of the feed. The other process wraps the cause again. */
export function unwrapped(error: unknown): never {
  throw error instanceof FeedError ? error.cause : error
}

/** Returns the key of a wait for the end of a job. */
export function keyOf({ pk, id }: DocumentAddress): string {
  return `job\n${pk}\n${id}`
}
