/** What a failed request to Cosmos DB means for the caller. */
export type CosmosErrorKind =
  /** 409: a document with that id already exists. */
  | { readonly kind: 'conflict' }
  /** 412: the document has changed since it was read. */
  | { readonly kind: 'preconditionFailed' }
  /** 404: there is no such document or container. */
  | { readonly kind: 'notFound' }
  /**
   * 404 with sub-status 1002: the replica does not have the session's writes yet. A later try can succeed.
   */
  | { readonly kind: 'sessionNotAvailable' }
  /** 410: the partition was split, merged or moved. */
  | { readonly kind: 'gone' }
  /** 429: nothing was done. `retryAfterMs` is the pause that the server advises. */
  | { readonly kind: 'throttled'; readonly retryAfterMs: number | null }
  /** 449: nothing was done. The caller should try again immediately. */
  | { readonly kind: 'retryWith' }
  /** The store could not be reached, or could not answer. Nothing was written. */
  | { readonly kind: 'unavailable' }
  /** The write may or may not have been applied. Only writes fail in this way. */
  | { readonly kind: 'unknownOutcome' }
  /** 401: the key or token is wrong. */
  | { readonly kind: 'unauthorized' }
  /** 403: the caller's identity does not have the permission for this request. */
  | { readonly kind: 'forbidden' }
  /** Any other error: a bad request, or an error that did not come from the store. */
  | { readonly kind: 'other' }

/** Network failures that happen before a request is sent, so a write was certainly not applied. */
const beforeSending = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  // An embedded store has no socket file while no process has it open.
  'ENOENT',
])

/**
 * Network failures after which it is unknown whether the store received the request. The SDK's pipeline gives
 * the code `REQUEST_SEND_ERROR` to failures that have no code.
 */
const underWay = new Set([
  'ECONNRESET',
  'ETIMEDOUT',
  'EPIPE',
  'ECONNABORTED',
  'TimeoutError',
  'REQUEST_SEND_ERROR',
  // The answer ended too early.
  'PARSE_ERROR',
])

/**
 * Classifies an error of `@azure/cosmos`, or an error whose `cause` is such an error. The SDK's change feed
 * iterator reports sub-status and retry-after only in the headers.
 */
export function cosmosErrorKind(error: unknown, operation: 'read' | 'write' = 'read'): CosmosErrorKind {
  const { code, substatus, retryAfterInMs, headers, cause } = fieldsOf(error)
  const ambiguous: CosmosErrorKind = { kind: operation === 'write' ? 'unknownOutcome' : 'unavailable' }
  if (beforeSending.has(String(code))) return { kind: 'unavailable' }
  if (underWay.has(String(code))) return ambiguous
  const header = fieldsOf(headers)
  switch (Number(code)) {
    case 401:
      return { kind: 'unauthorized' }
    case 403:
      return { kind: 'forbidden' }
    case 404:
      return {
        kind: Number(substatus ?? header['x-ms-substatus']) === 1002 ? 'sessionNotAvailable' : 'notFound',
      }
    case 408:
    case 500:
    case 503:
      return ambiguous
    case 409:
      return { kind: 'conflict' }
    case 410:
      return { kind: 'gone' }
    case 412:
      return { kind: 'preconditionFailed' }
    case 429:
      return { kind: 'throttled', retryAfterMs: numberOf(retryAfterInMs ?? header['x-ms-retry-after-ms']) }
    case 449:
      return { kind: 'retryWith' }
    default:
      return cause === undefined ? { kind: 'other' } : cosmosErrorKind(cause, operation)
  }
}

/** Returns whether the same request may succeed a little later. */
export function isTransient(kind: CosmosErrorKind['kind']): boolean {
  const passing: readonly CosmosErrorKind['kind'][] = [
    'throttled',
    'retryWith',
    'sessionNotAvailable',
    'unavailable',
    'unknownOutcome',
    'gone',
  ]
  return passing.includes(kind)
}

function numberOf(value: unknown): number | null {
  const number = Number(value ?? Number.NaN)
  return Number.isFinite(number) ? number : null
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return {}
  // The error is not copied with a spread, because its `cause` and `message` are not enumerable.
  return value as Readonly<Record<string, unknown>>
}
