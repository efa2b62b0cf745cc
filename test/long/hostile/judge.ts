import { errorMessage } from '../../../src/platform/internal.js'
import { answersIn, problemOf, type HttpAnswer } from './answers.js'
import type { HostileRequest } from './http-request.js'
import type { Received } from './socket.js'

/** What the run notes of a request. */
export interface Judged {
  /** The status of the last answer; 0 if there is none. */
  readonly status: number
  readonly milliseconds: number
  readonly problem: string | null
}

/** The longest time in milliseconds that a client waits for an answer. */
const longestAnswer = 5_000

/**
 * Judges what the server sent to a request.
 *
 * @param processor the time in milliseconds for which the server's process computed meanwhile
 */
export function judged(request: HostileRequest, received: Received, processor: number): Judged {
  // On a busy machine, the process waits for the processor. The request is not the cause.
  const milliseconds = Math.min(received.elapsedMs, processor)
  const answers = readAnswers(request, received)
  if (typeof answers === 'string') return { status: 0, milliseconds, problem: answers }
  const problem =
    (received.isUnanswered ? 'the connection stays open without an answer' : null) ??
    countProblem(request, answers.length) ??
    answers.map(problemOf).find((found) => found !== null) ??
    (milliseconds > longestAnswer
      ? `the answer took ${received.elapsedMs} ms, ${processor} ms of them on the processor`
      : null)
  return { status: answers.at(-1)?.status ?? 0, milliseconds, problem }
}

/** Returns the answers on the connection, or what is wrong with the bytes. */
function readAnswers(request: HostileRequest, { bytes }: Received): readonly HttpAnswer[] | string {
  // A client that cuts its connection, or half of it, may get a part of an answer.
  try {
    return answersIn(bytes, request.isHead)
  } catch (error) {
    return request.mustAnswer || !bytes.toString('latin1', 0, 9).startsWith('HTTP/1.1 ')
      ? errorMessage(error)
      : []
  }
}

function countProblem({ mustAnswer }: HostileRequest, count: number): string | null {
  if (!mustAnswer || count === 1) return null
  return count === 0 ? 'the connection is closed without an answer' : `there are ${count} answers`
}
