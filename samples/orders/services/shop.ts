import { z } from 'zod'
import type { Answer } from './answer.js'
import type { Ledger } from './ledger.js'

/**
 * The part of the body of `POST /shop/replies` that the shop uses. The body reports on the job of an order.
 */
export const replyRequest = z.object({
  orderId: z.string().min(1),
  seq: z.number().int().positive(),
  kind: z.string().min(1),
  state: z.string().min(1),
  reason: z.string().nullable(),
})

export class Shop {
  constructor(private readonly ledger: Ledger) {}

  /**
   * Records a reply. A repeated request with the same key is answered from memory and does not reach this
   * method.
   */
  take(reply: z.infer<typeof replyRequest>): Answer {
    this.ledger.recordReply(reply)
    return { status: 204 }
  }
}
