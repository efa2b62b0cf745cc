import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connect, type Job, type JobFailed } from 'stepward'
import { expect, it, onTestFinished } from 'vitest'
import { orderFulfilment } from '../../samples/orders/index.js'
import { readOrders } from '../../samples/orders/orders-file.js'
import type { LedgerReport } from '../../samples/orders/services/index.js'
import { startOrderServices, workerStarter } from './fleet.js'
import { isAccountOpen } from '../../src/emulator/attach/attached-account.js'
import { cli, ordersFile, ordersModule, run, startEmulatorProcess, temporaryDirectory } from './processes.js'

it('every order ends although a worker and then the store are killed', async () => {
  const data = join(await temporaryDirectory(), 'data')
  const stock = join(await temporaryDirectory(), 'stock.json')
  await writeFile(stock, await readFile(join(ordersFile, '../stock.json')))
  const servicesUrl = await startOrderServices(['--stock', stock, '--faults', 'some', '--seed', '7'])
  const store = await startEmulatorProcess(['--port', '0', '--data', data, '--partitions', '3'])
  const env = { ...store.env, ORDER_SERVICES_URL: servicesUrl }
  const startWorker = await workerStarter(env)
  const workers = [startWorker(), startWorker(), startWorker()]
  await Promise.all(workers.map((worker) => worker.line(' runs scheduler')))

  const client = await connect({ endpoint: store.endpoint, key: store.env['COSMOS_KEY'] ?? '' })
  onTestFinished(() => client.close())
  const orders = await readOrders(ordersFile)
  const jobs = await Promise.all(orders.map((order) => client.submit(orderFulfilment, order)))
  const ends = jobs.map(endOf)

  await firstOf(ends, 5)
  await workers[0]?.kill('SIGKILL')
  await firstOf(ends, 15)
  const underWay = (await client.list()).filter((job) => job.endedAt === null)
  expect(underWay.length, 'the store is killed in the middle of the work').toBeGreaterThan(0)
  const port = new URL(store.endpoint).port
  await store.process.kill('SIGKILL')
  await startEmulatorProcess(['--port', port, '--data', data, '--partitions', '3'])

  const states = await Promise.all(ends)
  expect(count(states)).toEqual({ Processed: 37, Error: 3 })
  const ledger = (await (await fetch(`${servicesUrl}/ledger`)).json()) as LedgerReport
  expect(ledger.duplicateEffects).toBe(0)
  const shipped = ledger.effects.filter((effect) => effect.kind === 'ship').map((effect) => effect.orderId)
  expect(new Set(shipped).size).toBe(37)
  expect(new Set(ledger.effects.map((effect) => `${effect.service} ${effect.key}`)).size).toBe(
    ledger.effects.length,
  )
})

it.each(['SIGKILL', 'SIGTERM'] as const)(
  'a worker opens the data directory when the worker that had it open gets %s (F-X28)',
  async (signal) => {
    const data = ['--data', join(await temporaryDirectory(), 'data')]
    const startWorker = await workerStarter({
      ORDER_SERVICES_URL: await startOrderServices(['--faults', 'none']),
    })
    const first = startWorker(data)
    await first.line(' runs scheduler')
    const second = startWorker(data)
    await second.line(' runs scheduler')
    await first.kill(signal)
    await second.line('"lease.acquired"')
    // The command would open the store itself, if no worker did.
    expect(await isAccountOpen(data[1] ?? '')).toBe(true)
    const submitting = [
      'submit',
      'order-fulfilment',
      ordersFile,
      '--workflows',
      ordersModule,
      '--wait',
      '--json',
    ]
    const submitted = await run(cli, [...submitting, ...data], {})
    expect(JSON.parse(submitted.stdout)).toMatchObject({ submitted: 40, failures: [] })
  },
)

/** Returns how a job ended. Asks again while the store is unavailable. */
async function endOf(job: Job): Promise<string> {
  for (;;) {
    try {
      await job.result()
      return 'Processed'
    } catch (error) {
      if (error instanceof Error && error.name === 'StoreUnavailable') continue
      return (error as JobFailed).state
    }
  }
}

/** Resolves when `count` of these have resolved. */
function firstOf(promises: readonly Promise<unknown>[], count: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let done = 0
    for (const promise of promises) {
      promise.then(() => {
        done += 1
        if (done === count) resolve()
      }, reject)
    }
  })
}

function count(states: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const state of states) counts[state] = (counts[state] ?? 0) + 1
  return counts
}
