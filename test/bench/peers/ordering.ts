import { defineAgent, defineWorkflow } from 'stepward'
import type { Order } from './peer.js'

/** The result of a step of every system: about 200 bytes. */
const reference = 'x'.repeat(110)

/** An asynchronous step without an effect. */
export const passed = async ({ id }: { readonly id: string }) => {
  await new Promise<void>((resolve) => {
    setImmediate(resolve)
  })
  return { id, ok: true, reference }
}

export const shop = defineAgent('shop', { reserve: passed, charge: passed, ship: passed })

export const ordering = defineWorkflow<Order>('ordering', (job) => {
  const options = { undo: 'none', completeWithin: '5s' } as const
  const reserved = job.step('reserve', shop.reserve, { id: job.input.id }, options)
  const charged = job.step('charge', shop.charge, { id: job.input.id }, { ...options, after: [reserved] })
  job.step('ship', shop.ship, { id: job.input.id }, { ...options, after: [charged] })
})
