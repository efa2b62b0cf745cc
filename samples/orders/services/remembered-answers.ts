import { isDeepStrictEqual } from 'node:util'
import type { Answer } from './answer.js'

/** An answer, and whether it had been given before. */
export interface GivenAnswer {
  readonly answer: Answer
  readonly isFromMemory: boolean
}

/**
 * One service's memory of what it answered, by idempotency key. Looking up, working and remembering happen in one go,
 * without anything to wait for in between: that is what keeps two simultaneous requests with one key from both working.
 * A refused request had no effect, so its answer is not remembered: the same key may succeed later. A resubmission by an
 * operator uses the key that was refused.
 */
export class RememberedAnswers {
  private readonly byKey = new Map<string, { request: unknown; answer: Answer }>()

  /**
   * Answers as before when `key` is known, else by doing the work. A key that is known with another request gets 422:
   * the caller has mixed up two requests, and either answer would be wrong for one of them.
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
