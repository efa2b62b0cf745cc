import { z } from 'zod'
import type { Answer } from './answer.js'
import type { Ledger } from './ledger.js'
import { idFor } from './per-key.js'

/** The body of `POST /shipping/shipments`. Only the parts of the address that a parcel needs are required. */
export const shipmentRequest = z.object({
  orderId: z.string().min(1),
  shipTo: z.looseObject({ name: z.string().min(1), country: z.string().min(1) }),
  chargeId: z.string().min(1),
})

/** Hands parcels to a carrier. A shipment cannot be undone. */
export class Shipping {
  constructor(private readonly ledger: Ledger) {}

  ship({ orderId }: z.infer<typeof shipmentRequest>, key: string): Answer {
    const trackingNumber = idFor('parcel', key)
    this.ledger.record({ service: 'shipping', kind: 'ship', key, orderId, id: trackingNumber })
    return { status: 201, body: { trackingNumber } }
  }
}
