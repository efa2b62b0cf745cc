import { z } from 'zod'
import type { Answer } from './answer.js'
import type { Ledger } from './ledger.js'
import { idFor } from './per-key.js'

export const chargeRequest = z.object({ orderId: z.string().min(1), amount: z.number().nonnegative() })

/** The body of `POST /payments/refunds`. A refund returns the whole charge. */
export const refundRequest = z.object({ chargeId: z.string().min(1) })

interface Charge {
  readonly orderId: string
  readonly amount: number
  refundId?: string
}

export class Payments {
  private readonly charges = new Map<string, Charge>()

  constructor(private readonly ledger: Ledger) {}

  charge({ orderId, amount }: z.infer<typeof chargeRequest>, key: string): Answer {
    const chargeId = idFor('charge', key)
    this.charges.set(chargeId, { orderId, amount })
    this.ledger.record({ service: 'payments', kind: 'charge', key, orderId, id: chargeId })
    return { status: 201, body: { chargeId } }
  }

  /** Refunds a charge only once, whatever the key, because a retry could not repair a double refund. */
  refund({ chargeId }: z.infer<typeof refundRequest>, key: string): Answer {
    const charge = this.charges.get(chargeId)
    if (charge === undefined) {
      const message = `there is no charge '${chargeId}'; pass the id from the answer to a charge`
      return { status: 404, body: { code: 'unknown-charge', message } }
    }
    if (charge.refundId !== undefined) {
      const message =
        `charge '${chargeId}' was refunded by '${charge.refundId}'; there is nothing ` + 'left to refund'
      return {
        status: 409,
        body: { code: 'already-refunded', message, chargeId, refundId: charge.refundId },
      }
    }
    const { orderId, amount } = charge
    const refundId = idFor('refund', key)
    charge.refundId = refundId
    this.ledger.record({ service: 'payments', kind: 'refund', key, orderId, id: refundId, undoes: chargeId })
    return { status: 201, body: { refundId, amount } }
  }
}
