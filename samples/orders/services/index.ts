/**
 * # The remote services of the orders sample
 *
 * Simulates the services of a shop: inventory, payments and shipping. They answer over HTTP, and are
 * sometimes slow, failing or silent. The shop itself receives replies about its orders and is just as
 * unreliable. One process simulates everything and keeps its data in memory.
 *
 * | request | answer |
 * | --- | --- |
 * | `POST /inventory/reservations` `{orderId, lines: [{productId, quantity}]}` | 201 `{reservationId}`, or 409 `{code: 'out-of-stock', productId, requested, available}` |
 * | `DELETE /inventory/reservations/{reservationId}` | 204, even if the request is repeated |
 * | `POST /inventory/deliveries` `{productId, quantity}` | 201 `{productId, unitsInStock}` |
 * | `POST /payments/charges` `{orderId, amount}` | 201 `{chargeId}` |
 * | `POST /payments/refunds` `{chargeId}` | 201 `{refundId, amount}`, or 409 `{code: 'already-refunded', refundId}` |
 * | `POST /shipping/shipments` `{orderId, shipTo, chargeId}` | 201 `{trackingNumber}` |
 * | `POST /shop/replies`, sent for a job whose `replyTo` is this URL | 204 |
 * | `GET /ledger` | 200, {@link LedgerReport} |
 *
 * A caller can rely on these rules:
 *
 * - Every POST carries an `Idempotency-Key`. A second request with the same key and body gets the same answer
 *   and has no second effect, even while the first request is still under way. The same key with a different
 *   body gets 422. Each service has its own keys.
 * - A refused request had no effect and is not remembered, so the same key may succeed later. For example, a
 *   product may be in stock again tomorrow.
 * - 503 means that nothing was done. If the connection was cut or there is no answer, the outcome is unknown,
 *   and the caller must repeat the request with the same key.
 * - A 4xx answer stays the same as long as its cause exists. Bodies are `{code, message, …}`.
 * - At most two requests with one key meet a fault. The faults depend only on the seed and the key
 *   (`faults.ts`).
 *
 * A run is checked against the ledger (`ledger.ts`). Even if processes crashed during the run,
 * `duplicateEffects` and `misorderedReplies` must be 0. Start reading in `start-services.ts`, and continue
 * with `serve-request.ts`.
 */
export { startServices, type Services, type ServicesOptions } from './start-services.js'
export { faultLevels, type FaultKind, type FaultLevel } from './faults.js'
export type { LedgerReport } from './ledger.js'
export { readStock } from './stock-file.js'
