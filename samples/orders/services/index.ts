/**
 * # The remote services of the orders sample
 *
 * Inventory, payments and shipping, as a shop finds them out there: over HTTP, slow at times, failing at times, silent
 * at times; and the shop itself, which is told how its orders go and is no better. One process plays them all and keeps
 * everything in memory.
 *
 * | request | answer |
 * | --- | --- |
 * | `POST /inventory/reservations` `{orderId, lines: [{productId, quantity}]}` | 201 `{reservationId}`, or 409 `{code: 'out-of-stock', productId, requested, available}` |
 * | `DELETE /inventory/reservations/{reservationId}` | 204, again too |
 * | `POST /inventory/deliveries` `{productId, quantity}` | 201 `{productId, unitsInStock}` |
 * | `POST /payments/charges` `{orderId, amount}` | 201 `{chargeId}` |
 * | `POST /payments/refunds` `{chargeId}` | 201 `{refundId, amount}`, or 409 `{code: 'already-refunded', refundId}` |
 * | `POST /shipping/shipments` `{orderId, shipTo, chargeId}` | 201 `{trackingNumber}` |
 * | `POST /shop/replies`, what a job with this `replyTo` sends | 204 |
 * | `GET /ledger` | 200, {@link LedgerReport} |
 *
 * What a caller can rely on:
 *
 * - Every POST carries an `Idempotency-Key`. The same key again, with the same body, gets the same answer and has no
 *   second effect: after a lost answer, and while the first request is still under way. A refused request had no
 *   effect and is not remembered: what is out of stock today may be in stock tomorrow, under the same key. Another body
 *   under a key that had an effect is answered 422. Each service has keys of its own.
 * - 503 means that nothing was done. No answer, or a cut connection, leaves that open: ask again with the same key.
 * - A 4xx answer stays the same until its cause is gone. Bodies are `{code, message, …}`.
 * - A key meets at most two faults in a row. Which ones depends on the seed and the key alone (`faults.ts`).
 *
 * The ledger (`ledger.ts`) is what a run is judged by: whatever crashed on the way, `duplicateEffects` and
 * `misorderedReplies` are 0.
 */
export { startServices, type Services, type ServicesOptions } from './start-services.js'
export { faultLevels, type FaultKind, type FaultLevel } from './faults.js'
export type { LedgerReport } from './ledger.js'
export { readStock } from './stock-file.js'
