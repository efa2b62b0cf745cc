import { z } from 'zod'
import type { Answer } from './answer.js'
import type { Ledger } from './ledger.js'

/** The body of `POST /shop/replies`: what a job says of its order; it says more than is of interest here. */
export const replyRequest = z.object({
  orderId: z.string().min(1),
  seq: z.number().int().positive(),
  kind: z.string().min(1),
  state: z.string().min(1),
  reason: z.string().nullable(),
})

/** Where the orders came from: it is told how each of them goes. */
export class Shop {
  constructor(private readonly ledger: Ledger) {}

  /** The same reply under the same key does not come here a second time: it is answered from memory. */
  take(reply: z.infer<typeof replyRequest>): Answer {
    this.ledger.recordReply(reply)
    return { status: 204 }
  }
}
