import { readdir, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { startHost, systemClock, type Host } from 'stepward'
import { createInProcessCosmos } from 'stepward/emulator'
import { readCommandLine, usage, UsageError, type CommandLine } from './command-line.js'
import { inventory, orderFulfilment, payments, shipping } from './index.js'
import { Observer } from './observer.js'
import { Operator } from './operator.js'
import { OrdersFileError, OrdersFileUnreadable, readOrders, type Order } from './orders-file.js'
import { showProgress } from './progress.js'
import { readStock, startServices, type Services } from './services/index.js'
import { describe, describeAlerts, summarize, type Summary } from './summary.js'

/** The longest time that the run may take. A job that has not ended by then counts as lost. */
const patienceMs = 10 * 60_000

/** The number of orders that are submitted concurrently. */
const atOnce = 16

interface Scene {
  readonly options: CommandLine
  readonly orders: readonly Order[]
  readonly services: Services
  readonly host: Host
  readonly observer: Observer
  readonly operator: Operator
}

interface Result {
  readonly summary: Summary
  /** An order that is worth a look: one that failed, if there is one. */
  readonly example: string
}

/**
 * Submits every order, runs all roles on an embedded Cosmos DB until each job has ended, and returns a
 * summary.
 */
async function run(options: CommandLine): Promise<Result> {
  const orders = await readOrders(options.orders)
  const stock = options.stock === null ? [] : await readStock(options.stock)
  const services = await startServices({ stock, faults: options.faults, seed: options.seed })
  process.env['ORDER_SERVICES_URL'] = services.url
  await emptyStore(options.data)
  const cosmos = createInProcessCosmos({ dataDirectory: options.data })
  const observer = new Observer()
  const operator = new Operator()
  const host = await startHost({
    embedded: cosmos,
    agents: [inventory, payments, shipping],
    slots: 32,
    sweepInterval: 5_000,
    deadlineGrace: 100,
    alertSinks: [async (alerts) => operator.alert(alerts)],
    sendTimeout: 1_000,
    telemetry: observer,
  })
  try {
    return await play({ options, orders, services, host, observer, operator })
  } finally {
    await host.stop()
    await cosmos.close()
    await services.close()
  }
}

async function play(scene: Scene): Promise<Result> {
  const { options, orders, services, host, observer, operator } = scene
  // With --json, the progress goes to standard error, because standard output must contain only the summary.
  const progress = showProgress(observer, orders.length, options.isJson ? process.stderr : process.stdout)
  const startedAt = systemClock.monotonic()
  const givingUp = new AbortController()
  const timer = systemClock.schedule(patienceMs, () => givingUp.abort())
  await submitAll(scene)
  await observer.until(() => observer.endedCount >= orders.length, givingUp.signal)
  const elapsedMs = systemClock.monotonic() - startedAt
  await observer.until(() => isEverybodyTold(scene), givingUp.signal)
  if (options.isRestocked) await tryFailedAgain(scene, givingUp.signal)
  timer.cancel()
  progress.done()
  const { requestUnits, retries } = observer
  // The result comes from the store, not from the events that the observer received.
  const jobs = await host.client.list({ limit: orders.length })
  const orderIds = orders.map((order) => order.orderId)
  const { alerts } = operator
  if (!options.isJson && alerts.length > 0) process.stdout.write(`${describeAlerts(alerts)}\n`)
  const measured = { elapsedMs, requestUnits, retries, alerts: alerts.length }
  const example = jobs.find(({ state }) => state === 'Error')?.jobId ?? orderIds[0] ?? 'ORDER'
  return { summary: summarize({ orderIds, jobs, ledger: services.ledger(), ...measured }), example }
}

/** Returns whether the shop has every final reply and the operator has an alert for every failed job. */
function isEverybodyTold({ orders, services, observer, operator }: Scene): boolean {
  const isShopTold = orders.every(({ orderId }) => services.lastReply(orderId)?.kind === 'finished')
  return isShopTold && observer.endedIn('Error').every((jobId) => operator.isAlertedOf(jobId))
}

/**
 * Restocks the products of the failed orders, and resubmits the orders. Resolves when the shop has received
 * their new final replies.
 */
async function tryFailedAgain(
  { orders, services, host, observer, operator }: Scene,
  givingUp: AbortSignal,
): Promise<void> {
  const failed = new Set(observer.endedIn('Error'))
  const seqOf = (orderId: string): number => services.lastReply(orderId)?.seq ?? 0
  const before = new Map([...failed].map((orderId) => [orderId, seqOf(orderId)]))
  const unfulfilled = orders.filter(({ orderId }) => failed.has(orderId))
  await operator.restock(services.url, unfulfilled)
  const again = await operator.resubmit(host.client)
  const isToldAgain = (orderId: string): boolean =>
    services.lastReply(orderId)?.kind === 'finished' && seqOf(orderId) > (before.get(orderId) ?? 0)
  await observer.until(() => again.every(isToldAgain), givingUp)
}

/** Removes the files of an embedded store, but no other files in the directory. */
async function emptyStore(directory: string): Promise<void> {
  const files = await readdir(directory).catch(() => [])
  const own = files.filter((file) => /^(?:(?:data|lock)\.mdb|writes-\d+\.log)$/u.test(file))
  for (const file of own) await rm(join(directory, file), { force: true })
}

async function submitAll({ orders, services, host: { client } }: Scene): Promise<void> {
  const replyTo = `${services.url}/shop/replies`
  const left = [...orders]
  const submitter = async (): Promise<void> => {
    for (let order = left.shift(); order !== undefined; order = left.shift()) {
      await client.submit(orderFulfilment, order, { replyTo, notify: ['attention', 'finished'] })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, submitter))
}

function isFlawless({ submitted, lost, duplicateEffects, shopToldOf, misorderedReplies }: Summary): boolean {
  return lost === 0 && duplicateEffects === 0 && shopToldOf === submitted && misorderedReplies === 0
}

function whereToLook(data: string, orderId: string): string {
  const store = `--data ${relative(process.cwd(), data)}`
  return [
    'This command prints an address that shows in a browser what just happened:',
    `  npx stepward page ${store}`,
    'These commands show it in the terminal:',
    `  npx stepward attention ${store}`,
    `  npx stepward list ${store} --state Error`,
    `  npx stepward status ${orderId} ${store}`,
  ].join('\n')
}

try {
  const options = readCommandLine(process.argv.slice(2))
  if (options.isHelp) {
    process.stdout.write(`${usage}\n`)
  } else {
    const { summary, example } = await run(options)
    process.stdout.write(`${options.isJson ? JSON.stringify(summary) : describe(summary)}\n`)
    if (!options.isJson) process.stdout.write(`${whereToLook(options.data, example)}\n`)
    process.exitCode = isFlawless(summary) ? 0 : 1
  }
} catch (error) {
  const isUsage = [UsageError, OrdersFileError, OrdersFileUnreadable].some((kind) => error instanceof kind)
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  if (error instanceof UsageError) process.stderr.write(`${usage}\n`)
  process.exitCode = isUsage ? 2 : 1
}
