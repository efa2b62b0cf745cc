import { defineAgent, type AgentContext } from 'stepward'
import type { Order } from './orders-file.js'
import { askService, Refused } from './services-client.js'

/** Where the remote services listen: set by `run.ts`, or by whoever starts a worker. */
function servicesUrl(): string {
  const url = process.env['ORDER_SERVICES_URL']
  if (url === undefined) {
    throw new Error(
      'ORDER_SERVICES_URL is not set: start samples/orders/services and set it to the URL it prints',
    )
  }
  return url
}

/** One request to a service; an answer that stays ends the step for good and asks a person to look. */
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
