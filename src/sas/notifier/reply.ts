import type { NoticeDocument } from '../model/documents.js'
import { isWebhook, originOf, postJson } from './webhook.js'

/** What a submitter is told, as it is sent. */
export interface Reply {
  /** The same for every try: receivers recognise a repetition by it. */
  readonly replyId: string
  readonly jobId: string
  readonly orderId: string
  readonly workflow: string
  /** 1, 2, 3… within its job. A receiver that has seen a number may drop it when it comes again. */
  readonly seq: number
  readonly kind: NoticeDocument['kind']
  /** The job's, as of this reply. */
  readonly state: NoticeDocument['state']
  readonly reason: string | null
  readonly stepId: string | null
  /** ISO-8601 UTC: when it happened. */
  readonly at: string
}

/** Puts replies into a container: `pk` is the job's partition key value. Repeating it does no harm. */
export interface ReplyContainers {
  put(container: string, document: Reply & { readonly id: string; readonly pk: string }): Promise<void>
}

/** A way to reach the receiver that a `replyTo` names. */
export interface ReplyChannel {
  /**
   * Resolves when the receiver has accepted it, or with the reason why nothing can ever be sent there.
   *
   * @throws any error when it may be tried again
   */
  send(
    notice: NoticeDocument,
    signal: AbortSignal,
  ): Promise<{ readonly kind: 'sent' } | { readonly kind: 'impossible'; readonly reason: string }>
}

const containerScheme = 'container:'

/** What every `replyTo` must be, for messages. */
export const replyToRule = 'must be an http(s) URL or container:NAME'

/** The container that a `replyTo` names, or null when it names none. */
function containerIn(replyTo: string): string | null {
  const name = replyTo.startsWith(containerScheme) ? replyTo.slice(containerScheme.length) : ''
  return name === '' ? null : name
}

/** A `replyTo` as it may be shown. */
export function receiverOf(replyTo: string): string {
  return isWebhook(replyTo) ? originOf(replyTo) : replyTo
}

/** Whether the built-in channel can send there. A channel of your own may reach more. */
export function isReplyTo(replyTo: string): boolean {
  return isWebhook(replyTo) || containerIn(replyTo) !== null
}

/**
 * What `replyTo` may name: `https://…` (or `http://…`) is posted to, with an `idempotency-key` header;
 * `container:NAME` is a container of the same database, partitioned by `/pk`, `/jobId` or `/orderId`.
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
