import { defineAgent, type AgentContext } from 'stepward'
import type { Order } from './orders-file.js'
import { askService, Refused } from './services-client.js'

/**
 * Returns the URL in `ORDER_SERVICES_URL`. `run.ts` sets this variable. If you do not use `run.ts`, set it
 * yourself.
 */
function servicesUrl(): string {
  const url = process.env['ORDER_SERVICES_URL']
  if (url === undefined) {
    throw new Error(
      'ORDER_SERVICES_URL is not set: start samples/orders/services and set it to the URL it prints',
    )
  }
  return url
}

/** Sends one request to a service. A permanent refusal ends the step and flags it for a person. */
async function post<T>(path: string, body: unknown, context: AgentContext): Promise<T> {
  const { idempotencyKey, signal } = context
  try {
    return await askService<T>(servicesUrl(), { method: 'POST', path, body, idempotencyKey, signal })
  } catch (error) {
    if (error instanceof Refused) context.failPermanently(error)
    throw error
  }
}

export const inventory = defineAgent('inventory', {
  reserve: (input: Pick<Order, 'orderId' | 'lines'>, context) => {
    return post<{ reservationId: string }>('/inventory/reservations', input, context)
  },
})

export const payments = defineAgent('payments', {
  charge: (input: { orderId: string; amount: number; reservationId: string }, context) => {
    const { orderId, amount } = input
    return post<{ chargeId: string }>('/payments/charges', { orderId, amount }, context)
  },
})

export const shipping = defineAgent('shipping', {
  dispatch: (input: Pick<Order, 'orderId' | 'shipTo'> & { chargeId: string }, context) => {
    return post<{ trackingNumber: string }>('/shipping/shipments', input, context)
  },
})
