import { rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { startHost, systemClock, type Host } from 'stepward'
import { createInProcessCosmos } from 'stepward/emulator'
import { readCommandLine, usage, UsageError, type CommandLine } from './command-line.js'
import { inventory, orderFulfilment, payments, shipping } from './index.js'
import { Observer } from './observer.js'
import { OrdersFileError, OrdersFileUnreadable, readOrders, type Order } from './orders-file.js'
import { showProgress } from './progress.js'
import { readStock, startServices } from './services/index.js'
import { describe, summarize, type Summary } from './summary.js'

/** How long the whole run may take before what has not ended is called lost. */
const patienceMs = 10 * 60_000

/** Orders submitted side by side. */
const atOnce = 16

/** Submits every order, lets all roles work on an embedded Cosmos DB until each has ended, and says what came of it. */
async function run(options: CommandLine): Promise<Summary> {
  const orders = await readOrders(options.orders)
  const stock = options.stock === null ? [] : await readStock(options.stock)
  const services = await startServices({ stock, faults: options.faults, seed: options.seed })
  process.env['ORDER_SERVICES_URL'] = services.url
  await emptyStore(options.data)
  const cosmos = createInProcessCosmos({ dataDirectory: options.data })
  const client = cosmos.client()
  const observer = new Observer()
  const agents = [inventory, payments, shipping]
  const host = await startHost({
    client,
    agents,
    slots: 32,
    sweepIntervalMs: 5_000,
    deadlineGraceMs: 100,
    telemetry: observer,
  })
  try {
    // With --json, standard output is for the summary alone.
    const progress = showProgress(observer, orders.length, options.isJson ? process.stderr : process.stdout)
    const startedAt = systemClock.monotonic()
    await submitAll(host, orders)
    const givingUp = new AbortController()
    const timer = systemClock.schedule(patienceMs, () => givingUp.abort())
    await observer.until(orders.length, givingUp.signal)
    timer.cancel()
    progress.done()
    const elapsedMs = systemClock.monotonic() - startedAt
    const { requestUnits, retries } = observer
    // What counts is what the store says, not what was heard.
    const jobs = await host.client.list({ limit: orders.length })
    const orderIds = orders.map((order) => order.orderId)
    return summarize({ orderIds, jobs, ledger: services.ledger(), elapsedMs, requestUnits, retries })
  } finally {
    await host.stop()
    client.dispose()
    await cosmos.close()
    await services.close()
  }
}

/** Removes an embedded store, and nothing else that may be in its directory. */
async function emptyStore(directory: string): Promise<void> {
  for (const file of ['data.mdb', 'lock.mdb']) await rm(join(directory, file), { force: true })
}

async function submitAll({ client }: Host, orders: readonly Order[]): Promise<void> {
  const left = [...orders]
  const submitter = async (): Promise<void> => {
    for (let order = left.shift(); order !== undefined; order = left.shift()) {
      await client.submit(orderFulfilment, order)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, submitter))
}

function whereToLook(data: string): string {
  const directory = relative(process.cwd(), data)
  return [
    'Look further:',
    `  npx stepward list --data ${directory} --state Error`,
    `  npx stepward status ORDER --data ${directory}`,
  ].join('\n')
}

try {
  const options = readCommandLine(process.argv.slice(2))
  if (options.isHelp) {
    process.stdout.write(`${usage}\n`)
  } else {
    const summary = await run(options)
    process.stdout.write(`${options.isJson ? JSON.stringify(summary) : describe(summary)}\n`)
    if (!options.isJson) process.stdout.write(`${whereToLook(options.data)}\n`)
    process.exitCode = summary.lost === 0 && summary.duplicateEffects === 0 ? 0 : 1
  }
} catch (error) {
  const isUsage = [UsageError, OrdersFileError, OrdersFileUnreadable].some((kind) => error instanceof kind)
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  if (error instanceof UsageError) process.stderr.write(`${usage}\n`)
  process.exitCode = isUsage ? 2 : 1
}
