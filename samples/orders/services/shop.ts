import { z } from 'zod'
import type { Answer } from './answer.js'
import type { Ledger } from './ledger.js'

/**
 * The body of `POST /shop/replies`, in which a job reports about its order. Fields that the shop does not use
 * are left out.
 */
export const replyRequest = z.object({
  orderId: z.string().min(1),
  seq: z.number().int().positive(),
  kind: z.string().min(1),
  state: z.string().min(1),
  reason: z.string().nullable(),
})

/** The shop that sent the orders and receives replies about them. */
export class Shop {
  constructor(private readonly ledger: Ledger) {}

  /**
   * Records a reply. A repetition under the same key is answered from memory and does not reach this method.
   */
  take(reply: z.infer<typeof replyRequest>): Answer {
    this.ledger.recordReply(reply)
    return { status: 204 }
  }
}
