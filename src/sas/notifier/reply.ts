import type { NoticeDocument } from '../model/documents.js'
import { isWebhook, originOf, postJson } from './webhook.js'

/** A notice as it is sent to a submitter. */
export interface Reply {
  /** The same for every try. Receivers recognise a repetition by it. */
  readonly replyId: string
  readonly jobId: string
  readonly orderId: string
  readonly workflow: string
  /** 1, 2, 3… within its job. A receiver may drop a number that it has already seen. */
  readonly seq: number
  readonly kind: NoticeDocument['kind']
  /** The state of the job as of this reply. */
  readonly state: NoticeDocument['state']
  readonly reason: string | null
  readonly stepId: string | null
  /** When the reported event happened, ISO-8601 UTC. */
  readonly at: string
}

/**
 * Puts replies into a container. `pk` is the job's partition key value. A repeated `put` must be harmless.
 */
export interface ReplyContainers {
  put(container: string, document: Reply & { readonly id: string; readonly pk: string }): Promise<void>
}

/** A way to reach the receiver that a `replyTo` names. */
export interface ReplyChannel {
  /**
   * Sends a notice. Resolves when the receiver has accepted it, or with the reason why no try can ever
   * succeed.
   *
   * @throws any error, if the notice may be tried again
   */
  send(
    notice: NoticeDocument,
    signal: AbortSignal,
  ): Promise<{ readonly kind: 'sent' } | { readonly kind: 'impossible'; readonly reason: string }>
}

const containerScheme = 'container:'

/** The rule for every `replyTo`, for messages. */
export const replyToRule = 'must be an http(s) URL or container:NAME'

/** Returns the container that a `replyTo` names, or null. */
function containerIn(replyTo: string): string | null {
  const name = replyTo.startsWith(containerScheme) ? replyTo.slice(containerScheme.length) : ''
  return name === '' ? null : name
}

/** Returns a `replyTo` without secrets, as it may be shown. */
export function receiverOf(replyTo: string): string {
  return isWebhook(replyTo) ? originOf(replyTo) : replyTo
}

/** Checks whether the built-in channel can send to this `replyTo`. A channel of your own may reach more. */
export function isReplyTo(replyTo: string): boolean {
  return isWebhook(replyTo) || containerIn(replyTo) !== null
}

/**
 * Creates the built-in channel. A `replyTo` of `https://…` (or `http://…`) receives a POST with an
 * `idempotency-key` header. `container:NAME` names a container of the same database, partitioned by `/pk`,
 * `/jobId` or `/orderId`.
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
