import { isDeepStrictEqual } from 'node:util'
import type { Answer } from './answer.js'

export interface GivenAnswer {
  readonly answer: Answer
  readonly isFromMemory: boolean
}

/**
 * One service's memory of its answers, by idempotency key. There is no await between looking up the key,
 * doing the work and remembering the answer, so two simultaneous requests with one key cannot both do the
 * work. A refusal is not remembered, because it had no effect, and because an operator's resubmission uses
 * the refused key again.
 */
export class RememberedAnswers {
  private readonly byKey = new Map<string, { request: unknown; answer: Answer }>()

  /**
   * Returns the earlier answer if `key` is known; otherwise does the work. A known key with a different
   * request gets 422, because the caller has confused two requests.
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
