import { z } from 'zod'
import type { Answer } from './answer.js'
import type { Ledger } from './ledger.js'
import { idFor } from './per-key.js'
import type { StockFile } from './stock-file.js'

/** The body of `POST /inventory/reservations`. */
export const reservationRequest = z.object({
  orderId: z.string().min(1),
  lines: z.array(z.object({ productId: z.number().int(), quantity: z.number().int().positive() })).min(1),
})

/** The body of `POST /inventory/deliveries`. */
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

  /**
   * Creates an inventory.
   *
   * @param unlistedUnits the initial number of units of a product that is not in `stock`
   */
  constructor(
    private readonly ledger: Ledger,
    stock: StockFile,
    private readonly unlistedUnits: number,
  ) {
    this.units = new Map(stock.map((item) => [item.productId, item.unitsInStock]))
  }

  /** Returns the number of units that can be reserved now. */
  available(productId: number): number {
    return this.units.get(productId) ?? this.unlistedUnits
  }

  /** Reserves the products of every line. If one product is out of stock, reserves nothing. */
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

  /** Releases a reservation. A second release of the same reservation changes nothing and also succeeds. */
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

  /** Adds delivered units to the stock. */
  deliver({ productId, quantity }: z.infer<typeof deliveryRequest>): Answer {
    this.add(productId, quantity)
    return { status: 201, body: { productId, unitsInStock: this.available(productId) } }
  }

  private add(productId: number, quantity: number): void {
    this.units.set(productId, this.available(productId) + quantity)
  }
}

/** Adds up the quantities of each product, because an order may name a product on several lines. */
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
