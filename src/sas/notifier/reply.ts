import type { NoticeDocument } from '../model/documents.js'
import { isWebhook, originOf, postJson } from './webhook.js'

/** A notice as it is sent to a submitter. */
export interface Reply {
  /** The id of the reply, the same for every try, so receivers can recognise repeated replies. */
  readonly replyId: string
  readonly jobId: string
  readonly orderId: string
  readonly workflow: string
  /** The number of the notice within its job, from 1. A receiver may ignore a repeated number. */
  readonly seq: number
  readonly kind: NoticeDocument['kind']
  readonly state: NoticeDocument['state']
  readonly reason: string | null
  readonly stepId: string | null
  readonly at: string
}

/** Puts replies into a container. `pk` is the job's partition key. A repeated `put` changes nothing. */
export interface ReplyContainers {
  put(container: string, document: Reply & { readonly id: string; readonly pk: string }): Promise<void>
}

/** A way to reach the receiver that a `replyTo` names. */
export interface ReplyChannel {
  /**
   * Sends a notice. Resolves when the receiver has accepted the notice. If no try can ever succeed, resolves
   * with the reason.
   *
   * @throws any error, if the notice may be sent again later
   */
  send(
    notice: NoticeDocument,
    signal: AbortSignal,
  ): Promise<{ readonly kind: 'sent' } | { readonly kind: 'impossible'; readonly reason: string }>
}

const containerScheme = 'container:'

/** The rule for every `replyTo`, as text for messages. */
export const replyToRule = 'must be an http(s) URL or "container:NAME"'

/** Returns the container that a `replyTo` names, or null. */
function containerIn(replyTo: string): string | null {
  const name = replyTo.startsWith(containerScheme) ? replyTo.slice(containerScheme.length) : ''
  return name === '' ? null : name
}

/** Returns a form of `replyTo` without secrets. */
export function receiverOf(replyTo: string): string {
  return isWebhook(replyTo) ? originOf(replyTo) : replyTo
}

/**
 * Checks whether the built-in channel can send to this `replyTo`. Other channels may reach other receivers.
 */
export function isReplyTo(replyTo: string): boolean {
  return isWebhook(replyTo) || containerIn(replyTo) !== null
}

/**
 * Creates the built-in channel. To a `replyTo` of `https://…` (or `http://…`), it sends a POST with an
 * `idempotency-key` header. A `replyTo` of `container:NAME` names a container of the same database,
 * partitioned by `/pk`, `/jobId` or `/orderId`.
 */
export function replyChannel(containers: ReplyContainers | null): ReplyChannel {
  return {
    send: async (notice, signal) => {
      const reply = replyOf(notice)
      const { replyTo } = notice
      if (isWebhook(replyTo)) {
        await postJson(replyTo, { body: reply, idempotencyKey: reply.replyId }, signal)
        return { kind: 'sent' }
      }
      const container = containerIn(replyTo)
      if (container === null || containers === null) {
        return { kind: 'impossible', reason: `replyTo ${JSON.stringify(replyTo)} ${replyToRule}` }
      }
      await containers.put(container, { ...reply, id: `reply:${notice.id}`, pk: notice.pk })
      return { kind: 'sent' }
    },
  }
}

function replyOf(notice: NoticeDocument): Reply {
  const { jobId, orderId, workflow, seq, kind, state, reason, stepId, at } = notice
  const replyId = `${jobId}/notify/${seq}`
  return { replyId, jobId, orderId, workflow, seq, kind, state, reason, stepId, at }
}
