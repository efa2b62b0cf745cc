import type { z } from 'zod'
import { Refusal, type Answer } from './answer.js'
import { chargeRequest, refundRequest, type Payments } from './payments.js'
import { deliveryRequest, reservationRequest, type Inventory } from './inventory.js'
import type { ServiceName } from './ledger.js'
import { RememberedAnswers, type GivenAnswer } from './remembered-answers.js'
import { shipmentRequest, type Shipping } from './shipping.js'
import { replyRequest, type Shop } from './shop.js'

export interface Services {
  readonly inventory: Inventory
  readonly payments: Payments
  readonly shipping: Shipping
  readonly shop: Shop
}

/** A request as it arrived. */
export interface Call {
  readonly method: string
  readonly path: string
  readonly idempotencyKey: string | undefined
  readonly body: string
}

/** A valid request that is ready to be carried out. */
export interface Work {
  /** The service and the idempotency key. The faults of the work depend on this name. */
  readonly name: string
  /** Does the work, or answers from memory. Is synchronous. */
  readonly run: () => GivenAnswer
}

type Understand = (call: Call) => Work

const reservationPath = /^\/inventory\/reservations\/([^/]+)$/

export class Operations {
  private readonly posts: ReadonlyMap<string, Understand>
  private readonly inventory: Inventory

  constructor({ inventory, payments, shipping, shop }: Services) {
    this.inventory = inventory
    const inInventory = posts('inventory')
    const inPayments = posts('payments')
    const inShipping = posts('shipping')
    const inShop = posts('shop')
    this.posts = new Map([
      [
        '/inventory/reservations',
        inInventory(reservationRequest, (body, key) => inventory.reserve(body, key)),
      ],
      ['/inventory/deliveries', inInventory(deliveryRequest, (body) => inventory.deliver(body))],
      ['/payments/charges', inPayments(chargeRequest, (body, key) => payments.charge(body, key))],
      ['/payments/refunds', inPayments(refundRequest, (body, key) => payments.refund(body, key))],
      ['/shipping/shipments', inShipping(shipmentRequest, (body, key) => shipping.ship(body, key))],
      ['/shop/replies', inShop(replyRequest, (body) => shop.take(body))],
    ])
  }

  /**
   * Returns the work that a request asks for.
   *
   * @throws Refusal if there is no such operation, or if the key or body of the request is invalid
   */
  understand(call: Call): Work {
    const post = call.method === 'POST' ? this.posts.get(call.path) : undefined
    if (post !== undefined) return post(call)
    const reservationId = call.method === 'DELETE' ? reservationPath.exec(call.path)?.[1] : undefined
    if (reservationId !== undefined) return this.release(reservationId)
    const paths = [...this.posts.keys()].join(', ')
    const message = `${call.method} ${call.path} is not an operation; POST to ${paths}, or DELETE a reservation`
    throw new Refusal(404, 'unknown-operation', message)
  }

  /**
   * Returns the work that releases a reservation. The reservation's id identifies a repeated request, so no
   * key is needed.
   */
  private release(reservationId: string): Work {
    return {
      name: `inventory release ${reservationId}`,
      run: () => ({ answer: this.inventory.release(reservationId), isFromMemory: false }),
    }
  }
}

/**
 * Returns a function that builds the POST operations of one service. These operations share a memory of
 * idempotency keys.
 */
function posts(service: ServiceName) {
  const memory = new RememberedAnswers()
  return <T>(schema: z.ZodType<T>, work: (body: T, key: string) => Answer): Understand =>
    (call) => {
      const key = keyOf(call)
      const body = bodyOf(call, schema)
      return {
        name: `${service} ${key}`,
        run: () => memory.give(key, { path: call.path, body }, () => work(body, key)),
      }
    }
}

function keyOf({ method, path, idempotencyKey }: Call): string {
  if (idempotencyKey !== undefined && idempotencyKey !== '') return idempotencyKey
  const message = `${method} ${path} needs an Idempotency-Key header: the same for every try of one request`
  throw new Refusal(400, 'no-idempotency-key', message)
}

function bodyOf<T>({ method, path, body }: Call, schema: z.ZodType<T>): T {
  const read = schema.safeParse(parse(body))
  if (read.success) return read.data
  const problems = read.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  throw new Refusal(400, 'bad-request', `${method} ${path}: ${problems.join('; ')}`)
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    throw new Refusal(400, 'bad-request', 'the body is not JSON')
  }
}
