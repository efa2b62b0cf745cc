/** The service of Restate: `restate-worker.js FOLDER`. */
import process from 'node:process'
import type { Order } from './peer.js'
import { passed } from './ordering.js'
import { imported } from './rivals.js'

interface RestateContext {
  run<T>(name: string, action: () => Promise<T>): Promise<T>
}

interface Restate {
  service(definition: object): object
  serve(options: object): Promise<unknown>
}

// The SDK uses a function that Node has only since version 22.
Object.assign(Promise, {
  withResolvers: () => {
    const settle: { resolve?: unknown; reject?: unknown } = {}
    const promise = new Promise((resolve, reject) => Object.assign(settle, { resolve, reject }))
    return { promise, ...settle }
  },
})

const [, , folder = ''] = process.argv
const restate = (await imported(folder, '@restatedev/restate-sdk')) as Restate
const process3 = async (context: RestateContext, order: Order) => {
  await context.run('reserve', () => passed(order))
  await context.run('charge', () => passed(order))
  return context.run('ship', () => passed(order))
}
const orders = restate.service({ name: 'orders', handlers: { process: process3 } })
await restate.serve({ services: [orders], port: 9080 })
process.stdout.write('READY\n')
