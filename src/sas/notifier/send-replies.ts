import type { Clock, Random } from '../../platform/index.js'
import type { ResolvedRetry } from '../../platform/internal.js'
import type { Telemetry } from '../../telemetry/index.js'
import type { NoticeDocument } from '../model/documents.js'
import type { ReplyChannel } from './reply.js'
import { sendWithin } from './send-within.js'
import { settleNotice, type SendResult } from '../decisions/settle-notice.js'
import { replacing, type StateStore, type Stored } from '../store/state-store.js'

export interface SendRepliesOptions {
  readonly store: StateStore
  readonly channel: ReplyChannel
  readonly instanceName: string
  readonly clock: Clock
  readonly random: Random
  readonly telemetry: Telemetry
  readonly retry: ResolvedRetry
  readonly sendTimeoutMs: number
  readonly stop: AbortSignal
}

export interface JobPlace {
  readonly pk: string
  readonly jobId: string
}

/** The pause if a result was not written. It prevents endless sends if no result can be written. */
const lookAgainAfterMs = 1_000

/**
 * Sends the notices of a job, the lowest number first. While a notice waits for its next try, later notices
 * wait too, so that they arrive in order (I13, F-N2). After a send, the result is written only if the etag is
 * unchanged. If an instance dies before the write, or another write comes first, the notice is sent twice
 * rather than never (F-N1).
 *
 * @returns the time for the next call, in milliseconds since the epoch; null if no notice is left
 */
export async function sendReplies(
  options: SendRepliesOptions,
  { pk, jobId }: JobPlace,
): Promise<number | null> {
  const { store, clock, stop } = options
  while (!stop.aborted) {
    const left = await store.listNotices(pk, jobId)
    const [next] = [...left].sort((a, b) => a.seq - b.seq)
    if (next === undefined || next.completeByMs === null) return null
    if (next.completeByMs > clock.now()) return next.completeByMs
    if (!(await sendOne(options, next))) return clock.now() + lookAgainAfterMs
  }
  return null
}

/** Sends a notice. Resolves to true only if the result was certainly written. */
async function sendOne(options: SendRepliesOptions, notice: Stored<NoticeDocument>): Promise<boolean> {
  const { store, clock, random, retry, instanceName, stop } = options
  const sendResult = await trySend(options, notice)
  // A send that the stop aborted does not count as a failure, because another instance will send the notice.
  if (stop.aborted && sendResult.kind === 'failed') return false
  const settled = settleNotice(notice, sendResult, { now: clock.now(), by: instanceName, random, retry })
  const result = await store.apply(notice.pk, [replacing(notice, settled)])
  if (result.kind !== 'applied') return false
  report(options, settled, sendResult)
  return true
}

async function trySend(options: SendRepliesOptions, notice: NoticeDocument): Promise<SendResult> {
  const { channel, clock, sendTimeoutMs, stop } = options
  try {
    return await sendWithin({ clock, limitMs: sendTimeoutMs, stop }, (signal) => channel.send(notice, signal))
  } catch (error) {
    return { kind: 'failed', reason: reasonOf(error) }
  }
}

/** Returns the message with its cause, which has the reason if `fetch` says only "fetch failed". */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}

function report({ telemetry }: SendRepliesOptions, notice: NoticeDocument, sendResult: SendResult): void {
  const { jobId, workflow, seq, kind, failureCount, attention } = notice
  if (sendResult.kind === 'sent') {
    telemetry.emit({ type: 'notice.sent', jobId, workflow, seq, kind })
    return
  }
  const error = new Error(sendResult.reason)
  const isGivenUp = attention !== null
  telemetry.emit({ type: 'notice.failed', jobId, workflow, seq, failureCount, isGivenUp, error })
}
