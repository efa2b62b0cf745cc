import { z } from 'zod'
import type { Answer } from './answer.js'
import type { Ledger } from './ledger.js'
import { idFor } from './per-key.js'
import type { StockFile } from './stock-file.js'

export const reservationRequest = z.object({
  orderId: z.string().min(1),
  lines: z.array(z.object({ productId: z.number().int(), quantity: z.number().int().positive() })).min(1),
})

export const deliveryRequest = z.object({
  productId: z.number().int(),
  quantity: z.number().int().positive(),
})

type ReservationRequest = z.infer<typeof reservationRequest>

interface Reservation {
  readonly orderId: string
  readonly quantities: ReadonlyMap<number, number>
}

/** The products in stock, and their reservations. */
export class Inventory {
  private readonly units: Map<number, number>
  private readonly reservations = new Map<string, Reservation>()
  private readonly released = new Set<string>()

  /** @param unlistedUnits the initial number of units of a product that is not in `stock` */
  constructor(
    private readonly ledger: Ledger,
    stock: StockFile,
    private readonly unlistedUnits: number,
  ) {
    this.units = new Map(stock.map((item) => [item.productId, item.unitsInStock]))
  }

  available(productId: number): number {
    return this.units.get(productId) ?? this.unlistedUnits
  }

  /** Reserves the products of every line, or nothing if one product is out of stock. */
  reserve(request: ReservationRequest, key: string): Answer {
    const quantities = quantitiesOf(request)
    for (const [productId, requested] of quantities) {
      const available = this.available(productId)
      if (requested > available) return outOfStock(productId, requested, available)
    }
    for (const [productId, quantity] of quantities) this.add(productId, -quantity)
    const reservationId = idFor('reservation', key)
    const { orderId } = request
    this.reservations.set(reservationId, { orderId, quantities })
    this.ledger.record({ service: 'inventory', kind: 'reserve', key, orderId, id: reservationId })
    return { status: 201, body: { reservationId } }
  }

  /** Releases a reservation. Releasing it again changes nothing and also succeeds. */
  release(reservationId: string): Answer {
    const reservation = this.reservations.get(reservationId)
    if (reservation === undefined) {
      const message =
        `there is no reservation '${reservationId}'; pass the id from the ` + 'answer to a reservation'
      return { status: 404, body: { code: 'unknown-reservation', message } }
    }
    if (this.released.has(reservationId)) return { status: 204 }
    for (const [productId, quantity] of reservation.quantities) this.add(productId, quantity)
    this.released.add(reservationId)
    const key = `release of ${reservationId}`
    const effect = { key, orderId: reservation.orderId, id: idFor('release', key), undoes: reservationId }
    this.ledger.record({ service: 'inventory', kind: 'release', ...effect })
    return { status: 204 }
  }

  deliver({ productId, quantity }: z.infer<typeof deliveryRequest>): Answer {
    this.add(productId, quantity)
    return { status: 201, body: { productId, unitsInStock: this.available(productId) } }
  }

  private add(productId: number, quantity: number): void {
    this.units.set(productId, this.available(productId) + quantity)
  }
}

/** An order may name a product on several lines. */
function quantitiesOf(request: ReservationRequest): Map<number, number> {
  const quantities = new Map<number, number>()
  for (const { productId, quantity } of request.lines) {
    quantities.set(productId, (quantities.get(productId) ?? 0) + quantity)
  }
  return quantities
}

function outOfStock(productId: number, requested: number, available: number): Answer {
  const message = `product ${productId}: ${requested} units requested, ${available} available`
  return { status: 409, body: { code: 'out-of-stock', message, productId, requested, available } }
}
