import { isDeepStrictEqual } from 'node:util'
import type { Answer } from './answer.js'

export interface GivenAnswer {
  readonly answer: Answer
  readonly isFromMemory: boolean
}

/**
 * One service's memory of its answers, by idempotency key. It looks up, works and remembers without awaiting
 * anything in between. That prevents two simultaneous requests with one key from both doing the work. A
 * refused request had no effect, so its answer is not remembered, and the same key may succeed later. A
 * resubmission by an operator uses the key that was refused.
 */
export class RememberedAnswers {
  private readonly byKey = new Map<string, { request: unknown; answer: Answer }>()

  /**
   * Returns the earlier answer when `key` is known; otherwise does the work. A known key with a different
   * request gets 422: the caller has confused two requests, and either answer would be wrong for one of them.
   */
  give(key: string, request: unknown, work: () => Answer): GivenAnswer {
    const known = this.byKey.get(key)
    if (known === undefined) {
      const answer = work()
      if (answer.status < 400) this.byKey.set(key, { request, answer })
      return { answer, isFromMemory: false }
    }
    if (isDeepStrictEqual(known.request, request)) return { answer: known.answer, isFromMemory: true }
    const message = `Idempotency-Key '${key}' came before with another request; use one key for one request`
    return { answer: { status: 422, body: { code: 'key-reused', message } }, isFromMemory: false }
  }
}
