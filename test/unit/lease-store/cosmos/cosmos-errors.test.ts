import { describe, expect, it } from 'vitest'
import { cosmosErrorKind, isTransient } from '../../../../lease-store/internal.js'

describe('an error of the store', () => {
  it.each([
    [{ code: 401 }, { kind: 'unauthorized' }],
    [{ code: 403 }, { kind: 'forbidden' }],
    [{ code: 404 }, { kind: 'notFound' }],
    [{ code: 404, substatus: 0 }, { kind: 'notFound' }],
    [{ code: 404, substatus: 1002 }, { kind: 'sessionNotAvailable' }],
    [{ code: 404, headers: { 'x-ms-substatus': '1002' } }, { kind: 'sessionNotAvailable' }],
    [{ code: 408 }, { kind: 'unavailable' }],
    [{ code: 409 }, { kind: 'conflict' }],
    [{ code: 410, substatus: 1002 }, { kind: 'gone' }],
    [{ code: 412 }, { kind: 'preconditionFailed' }],
    [{ code: 429 }, { kind: 'throttled', retryAfterMs: null }],
    [
      { code: 429, retryAfterInMs: 70 },
      { kind: 'throttled', retryAfterMs: 70 },
    ],
    [
      { code: 429, headers: { 'x-ms-retry-after-ms': '80' } },
      { kind: 'throttled', retryAfterMs: 80 },
    ],
    [
      { code: 429, headers: { 'x-ms-retry-after-ms': 'soon' } },
      { kind: 'throttled', retryAfterMs: null },
    ],
    [{ code: 449 }, { kind: 'retryWith' }],
    [{ code: 500 }, { kind: 'unavailable' }],
    [{ code: 503 }, { kind: 'unavailable' }],
    [{ code: 'ECONNREFUSED' }, { kind: 'unavailable' }],
    [{ code: 'ECONNRESET' }, { kind: 'unavailable' }],
    [{ code: 'TimeoutError' }, { kind: 'unavailable' }],
    [{ code: 400 }, { kind: 'other' }],
    [new Error('ours', { cause: { code: 410 } }), { kind: 'gone' }],
    [new Error('bug'), { kind: 'other' }],
    [undefined, { kind: 'other' }],
    [null, { kind: 'other' }],
    [
      { code: 429, headers: null },
      { kind: 'throttled', retryAfterMs: null },
    ],
    ['text', { kind: 'other' }],
  ])('%j means %j to a reader', (error, kind) => {
    expect(cosmosErrorKind(error)).toEqual(kind)
  })

  it.each([
    408,
    500,
    503,
    'ECONNRESET',
    'ETIMEDOUT',
    'EPIPE',
    'ECONNABORTED',
    'TimeoutError',
    'REQUEST_SEND_ERROR',
    'PARSE_ERROR',
  ])('%j means an unknown outcome to a writer', (code) => {
    expect(cosmosErrorKind({ code }, 'write')).toEqual({ kind: 'unknownOutcome' })
  })

  it.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOENT'])(
    '%s, which prevents the request, tells a writer that nothing was written',
    (code) => {
      expect(cosmosErrorKind({ code }, 'write')).toEqual({ kind: 'unavailable' })
    },
  )

  it.each([
    'throttled',
    'retryWith',
    'sessionNotAvailable',
    'unavailable',
    'unknownOutcome',
    'gone',
  ] as const)('is transient: %s', (kind) => {
    expect(isTransient(kind)).toBe(true)
  })

  it.each(['conflict', 'preconditionFailed', 'notFound', 'unauthorized', 'forbidden', 'other'] as const)(
    'is not transient: %s',
    (kind) => {
      expect(isTransient(kind)).toBe(false)
    },
  )
})
