import { isDeepStrictEqual } from 'node:util'
import type { Answer } from './answer.js'

export interface GivenAnswer {
  readonly answer: Answer
  readonly isFromMemory: boolean
}

/**
 * One service's memory of its answers, by idempotency key. It looks up the key, does the work and remembers
 * the answer without an await in between. Therefore two simultaneous requests with one key cannot both do the
 * work. A refused request had no effect, so its answer is not remembered, and the same key may succeed later.
 * This is needed because a resubmission by an operator uses the key that was refused.
 */
export class RememberedAnswers {
  private readonly byKey = new Map<string, { request: unknown; answer: Answer }>()

  /**
   * Returns the earlier answer if `key` is known. Otherwise does the work. If a known key comes with a
   * different request, the answer is 422. In that case the caller has confused two requests, and any other
   * answer would be wrong for one of the two.
   */
  give(key: string, request: unknown, work: () => Answer): GivenAnswer {
    const known = this.byKey.get(key)
    if (known === undefined) {
      const answer = work()
      if (answer.status < 400) this.byKey.set(key, { request, answer })
      return { answer, isFromMemory: false }
    }
    if (isDeepStrictEqual(known.request, request)) return { answer: known.answer, isFromMemory: true }
    const message = `Idempotency-Key '${key}' was used for a different request; use one key for each request`
    return { answer: { status: 422, body: { code: 'key-reused', message } }, isFromMemory: false }
  }
}
