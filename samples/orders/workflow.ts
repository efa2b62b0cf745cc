import { defineWorkflow } from 'stepward'
import { inventory, payments, shipping } from './agents.js'
import { toOrder, type Order } from './orders-file.js'

/**
 * The time that a service may take. It is short, so that the sample shows recoveries. A real workflow allows
 * minutes.
 */
const patience = {
  completeWithin: '1500ms',
  retry: { tries: 10, backoff: { min: '100ms', max: '2s' } },
} as const

/** Reserves the stock, charges the customer and ships the products, one after the other. */
export const orderFulfilment = defineWorkflow<Order>(
  'order-fulfilment',
  (job) => {
    const { orderId, lines, total, shipTo } = job.input
    const hold = job.step('reserve', inventory.reserve, { orderId, lines }, patience)
    const { reservationId } = hold.output
    const charge = job.step('charge', payments.charge, { orderId, amount: total, reservationId }, patience)
    job.step('ship', shipping.dispatch, { orderId, shipTo, chargeId: charge.output.chargeId }, patience)
  },
  {
    parse: toOrder,
    jobId: (order) => order.orderId,
    // The order is stored in the same transaction as its job.
    alongside: (order) => [{ create: { ...order, id: `order:${order.orderId}`, type: 'order' } }],
  },
)
