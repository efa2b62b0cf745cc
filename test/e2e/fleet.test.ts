import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { kill } from 'node:process'
import { connect, type Job } from 'stepward'
import { expect, it, onTestFinished } from 'vitest'
import { orderFulfilment } from '../../samples/orders/index.js'
import { readOrders } from '../../samples/orders/orders-file.js'
import type { LedgerReport } from '../../samples/orders/services/index.js'
import { shortTimes, startOrderServices } from './fleet.js'
import { startLocalFleet, type LocalFleet } from './fleet-processes.js'
import {
  ordersFile,
  ordersModule,
  startEmulatorProcess,
  temporaryDirectory,
  type EmulatorProcess,
} from './processes.js'

const orders = await readOrders(ordersFile)

async function clientOf(store: EmulatorProcess) {
  const client = await connect({ endpoint: store.endpoint, key: store.env['COSMOS_KEY'] ?? '' })
  onTestFinished(() => client.close())
  return client
}

it('a fleet continues the work of a killed process long before its leases expire (D11)', async () => {
  const services = await startOrderServices(['--faults', 'none'])
  const store = await startEmulatorProcess(['--port', '0', '--partitions', '4'])
  const fleet = await startLocalFleet(2, { ...store.env, ORDER_SERVICES_URL: services })
  await fleet.parent.line('"type":"lease.acquired"', 16)
  await fleet.parent.line('"type":"host.started"', 2)
  const client = await clientOf(store)
  const jobs = await Promise.all(orders.map((order) => client.submit(orderFulfilment, order)))
  const ends = jobs.map(endOf)
  await ends[0]

  const leases = await fleet.leases()
  const victim = (await fleet.processes()).find(({ instanceName }) =>
    leases.some(({ owner }) => owner === instanceName),
  )
  if (victim === undefined) throw new Error('no lease has an owner')
  const orphaned = leases.filter(({ owner }) => owner === victim.instanceName).length
  const acquired = fleet.parent.count('"type":"lease.acquired"')
  const killedAt = performance.now()
  kill(victim.processId, 'SIGKILL')
  await fleet.parent.line('"type":"lease.acquired"', acquired + orphaned)
  const tookOverMs = performance.now() - killedAt
  console.log(`killed one of two processes: ${orphaned} leases read again after ${Math.round(tookOverMs)} ms`)
  expect(tookOverMs, 'they expire after 60 s').toBeLessThan(30_000)

  expect(count(await Promise.all(ends))).toEqual({ Processed: 40 })
  await expectNothingDoubled(services)
  expect((await fleet.parent.kill('SIGTERM')).code).toBe(0)
  expect((await fleet.leases()).filter(({ owner }) => owner !== null)).toEqual([])
})

it('a fleet scales to 1, 3, 0 and 2 under load and loses or doubles nothing (R156, R174)', async () => {
  const services = await startOrderServices(['--faults', 'none'])
  const store = await startEmulatorProcess(['--port', '0', '--partitions', '4'])
  const config = join(await temporaryDirectory(), 'stepward.config.json')
  await writeFile(config, JSON.stringify(shortTimes))
  const fleet = await startLocalFleet(1, { ...store.env, ORDER_SERVICES_URL: services }, [
    '--no-reserve',
    '--config',
    config,
  ])
  await fleet.parent.line('"type":"lease.acquired"', 16)
  const client = await clientOf(store)
  const ends: Promise<string>[] = []
  const left = [...orders]
  for (const instances of [1, 3, 0, 2]) {
    const beganAt = performance.now()
    expect((await fleet.command('scale', 'all', String(instances), '--why', 'the load changes')).code).toBe(0)
    const latencies: number[] = []
    for (const order of left.splice(0, 10)) {
      const submittedAt = performance.now()
      const end = endOf(await client.submit(orderFulfilment, order))
      ends.push(
        end.then((state) => {
          latencies.push(performance.now() - submittedAt)
          return state
        }),
      )
    }
    await untilEven(fleet, instances)
    const seconds = ((performance.now() - beganAt) / 1_000).toFixed(1)
    if (instances > 0) await Promise.all(ends)
    console.log(`${instances} instances: balanced after ${seconds} s, p95 of its jobs ${p95(latencies)} ms`)
  }
  expect(count(await Promise.all(ends))).toEqual({ Processed: 40 })
  await expectNothingDoubled(services)
  expect((await fleet.command('stop')).code).toBe(0)
  expect((await fleet.parent.ended).code).toBe(0)
})

it('a fleet on an embedded store keeps its scale and leaves no orphan when its parent process is killed', async () => {
  const services = await startOrderServices(['--faults', 'none'])
  const env = { ORDER_SERVICES_URL: services }
  const state = ['--state', await temporaryDirectory()]
  const data = ['--data', await temporaryDirectory()]
  const first = await startLocalFleet(1, env, [...state, ...data])
  await first.parent.line('"type":"host.started"')
  const scaled = await first.command('scale', 'all', '2', '--why', 'a sale', '--by', 'ann', ...state)
  expect(scaled.stdout).toContain('1 → 2')
  expect(scaled.stderr).toContain('1 lease for 2 instances, so 1 instance waits as a spare')
  expect(scaled.stderr).not.toContain('audit')
  const rebalanced = await first.command('rebalance', '--why', 'uneven', '--json', ...state)
  expect(JSON.parse(rebalanced.stdout)).toMatchObject({ why: 'uneven', isRecorded: true })
  expect(JSON.parse((await first.command('audit', '--json', ...data)).stdout)).toMatchObject([
    { about: 'fleet', id: 'all', command: 'rebalance', why: 'uneven' },
    { about: 'fleet', id: 'all', command: 'scale 1 → 2', by: 'ann', why: 'a sale' },
  ])
  await first.parent.line('"type":"host.started"', 2)
  // The parent shares its pipes with its children, so this resolves only when all of them have ended.
  const { stderr } = await first.parent.kill('SIGKILL')
  expect(stderr).toContain('the parent process has ended')
  const second = await startLocalFleet(1, env, [...state, ...data])
  expect(await second.parent.line('Using ')).toContain('Using 2 instances, not 1: "stepward scale" set')
  expect((await second.command('fleet', ...state)).stdout).toMatch(
    /uses 2 instances\..*\nlag: scheduler \d+/s,
  )
  const submission = ['submit', 'order-fulfilment', ordersFile, '--workflows', ordersModule]
  const submitted = await second.command(...submission, '--wait', '--json', ...data)
  expect(JSON.parse(submitted.stdout)).toMatchObject({ submitted: 40, failures: [] })
  await expectNothingDoubled(services)
  const automatic = await second.command('autoscale', 'all', '--once', '--json', ...state, ...data)
  expect(JSON.parse(automatic.stdout), 'never more than leases').toMatchObject({
    target: 'local all',
    before: 2,
    instances: 1,
    leases: 1,
  })
  expect((await second.command('scale', 'reader', '2', '--why', 'w', ...state)).stderr).toMatch(
    /"reader" is not a role: it must be one of/,
  )
  expect((await second.command('stop', ...state)).code).toBe(0)
  expect((await second.parent.ended).code).toBe(0)
  expect((await second.command('fleet', ...state)).code, 'not found').toBe(3)
})

it('`scale` ends although its store never answers, and says that the audit may lack the decision', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const state = ['--state', await temporaryDirectory()]
  const fleet = await startLocalFleet(1, {}, [...state, '--data', await temporaryDirectory()])
  const store = ['--endpoint', `http://127.0.0.1:${port}`, '--key', 'a2V5']
  const { code, stdout, stderr } = await fleet.command('scale', 'all', '0', '--why', 'w', ...store, ...state)
  expect(code).toBe(0)
  expect(stdout).toContain('local all: 1 → 0')
  expect(stderr).toContain('the audit may lack this decision: the store has not answered within 5 s')
  silent.close()
})

/** Resolves when the leases of every role are spread evenly over this number of instances. */
async function untilEven(fleet: LocalFleet, instances: number): Promise<void> {
  const isDone = async (): Promise<boolean> => {
    const leases = await fleet.leases()
    const units = ['scheduler', 'agents', 'supervisor', 'notifier'].map((role) =>
      leases.filter(({ processorName }) => processorName === `stepward-${role}`).map(({ owner }) => owner),
    )
    return leases.length > 0 && units.every((owners) => isEven(owners, instances))
  }
  await expect.poll(isDone, { interval: 200, timeout: 100_000 }).toBe(true)
}

function isEven(owners: readonly (string | null)[], instances: number): boolean {
  const counts = Object.values(count(owners.filter((owner) => owner !== null)))
  if (instances === 0) return counts.length === 0
  return (
    counts.length === instances && !owners.includes(null) && Math.max(...counts) - Math.min(...counts) <= 1
  )
}

async function expectNothingDoubled(services: string): Promise<void> {
  const ledger = (await (await fetch(`${services}/ledger`)).json()) as LedgerReport
  expect(ledger.duplicateEffects).toBe(0)
  expect(ledger.effects.filter(({ kind }) => kind === 'ship')).toHaveLength(40)
}

async function endOf(job: Job): Promise<string> {
  try {
    await job.result()
    return 'Processed'
  } catch {
    return 'Error'
  }
}

function count(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1
  return counts
}

function p95(values: readonly number[]): string {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted.length === 0
    ? '(none ended)'
    : String(Math.round(sorted[Math.ceil(0.95 * sorted.length) - 1] ?? 0))
}
