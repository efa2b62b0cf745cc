import { CosmosClient, type Container } from '@azure/cosmos'
import { ChangeFeedProcessor } from 'stepward/change-feed-processor'
import { expect, it, onTestFinished } from 'vitest'
import { TelemetryRecorder } from '../../src/telemetry/index.js'
import { cli, run, startEmulatorProcess, type Ended } from './processes.js'

interface Shop {
  readonly orders: Container
  readonly leases: Container
  /** The name of the account in leases. */
  readonly accountHost: string
  /** Runs a command on these containers. */
  readonly command: (...words: readonly string[]) => Promise<Ended>
}

/** A container and leases that have nothing to do with jobs, in an emulator of their own. */
async function aShop(): Promise<Shop> {
  const { endpoint, env } = await startEmulatorProcess(['--port', '0', '--partitions', '2'])
  const client = new CosmosClient({ endpoint, key: env['COSMOS_KEY'] ?? '' })
  onTestFinished(() => client.dispose())
  const { database } = await client.databases.create({ id: 'shop' })
  const { container: orders } = await database.containers.create({ id: 'orders', partitionKey: '/customer' })
  const { container: leases } = await database.containers.create({
    id: 'own-leases',
    partitionKey: '/id',
    defaultTtl: -1,
  })
  const names = ['--database', 'shop', '--container', 'orders', '--lease-container', 'own-leases']
  const accountHost = new URL(endpoint).hostname
  return { orders, leases, accountHost, command: (...words) => run(cli, [...words, ...names], env) }
}

/** Runs a processor until it has read all changes, and stops it. */
async function stoppedProjection({ orders, leases }: Shop, processorName: string): Promise<void> {
  await orders.items.create({ id: 'before', customer: 'a' })
  const telemetry = new TelemetryRecorder()
  const processor = new ChangeFeedProcessor({
    monitoredContainer: orders,
    leaseContainer: leases,
    processorName,
    instanceName: 'an-instance-with-a-rather-long-name@a-machine-of-a-scale-set-in-a-region-1',
    startFrom: 'beginning',
    checkpointInterval: 0,
    telemetry,
    onChanges: () => undefined,
  })
  await processor.start()
  await telemetry.waitFor('checkpoint.stored', () => true, 2)
  await processor.stop()
}

it('`leases`, `estimate` and `doctor` see processors of any name on any container (R150)', async () => {
  const shop = await aShop()
  const empty = await shop.command('leases')
  expect([empty.code, empty.stdout]).toEqual([
    0,
    'no leases: no instance has been started on this container yet\n',
  ])

  await stoppedProjection(shop, 'projection')
  await shop.orders.items.create({ id: 'after', customer: 'a' })
  const rows = JSON.parse((await shop.command('leases', '--json')).stdout) as object[]
  expect(rows).toMatchObject([
    { processorName: 'projection', leaseToken: '0', owner: null },
    { processorName: 'projection', leaseToken: '1', owner: null },
  ])
  const estimated = JSON.parse((await shop.command('estimate', '--json')).stdout) as object
  expect(estimated).toMatchObject({ total: 1, leases: [{ processorName: 'projection' }, {}] })
  expect((await shop.command('estimate')).stdout).toMatch(/at most 1 change behind in 2 leases/)
  const healthy = await shop.command('doctor', '--processor', 'projection')
  expect(healthy.stdout).toMatch(/hint notRunning of "projection"/)
  expect(healthy.code).toBe(0)

  const unknown = await shop.command('doctor', '--processor', 'projektion')
  expect(unknown.code).toBe(3)
  expect(unknown.stderr).toBe('stepward: processor "projektion" has no leases: name one of "projection"\n')
})

it('`leases` and `estimate` mark the leases that the Java SDK wrote', async () => {
  const shop = await aShop()
  await stoppedProjection(shop, 'projection')
  const java = `java${shop.accountHost}_shop_orders`
  for (const LeaseToken of ['0', '1'])
    await shop.leases.items.create({ id: `${java}..${LeaseToken}`, LeaseToken, Owner: 'java-host' })
  await shop.leases.items.create({ id: `${java}.info` })
  const all = JSON.parse((await shop.command('leases', '--json')).stdout) as object[]
  expect(all).toMatchObject([
    { processorName: 'java', leaseToken: '0', owner: 'java-host', notRead: 'Java SDK' },
    { processorName: 'java', leaseToken: '1', owner: 'java-host', notRead: 'Java SDK' },
    { processorName: 'projection', notRead: null },
    { processorName: 'projection', notRead: null },
  ])
  expect((await shop.command('leases')).stdout).toMatch(/^java +0 +java-host +\(Java SDK\)/m)
  expect((await shop.command('estimate')).stdout).toMatch(
    /in 2 leases\nnot counted: 2 leases of "java": the Java SDK wrote them, and only the tools of that SDK read them\n$/,
  )
})

it('`doctor` fails when no lease covers a range, and all tables fit 80 columns', async () => {
  const shop = await aShop()
  await stoppedProjection(shop, 'projection')
  const { resources } = await shop.leases.items.query<{ id: string }>('SELECT * FROM c').fetchAll()
  const lease = resources.find(({ id }) => id.endsWith('..1'))
  await shop.leases.item(lease?.id ?? '', lease?.id).delete()
  const broken = await shop.command('doctor')
  expect(broken.code).toBe(1)
  expect(broken.stdout).toMatch(/^problem gap of "projection"\n {2}no lease covers/)
  const found = JSON.parse((await shop.command('doctor', '--json')).stdout) as object[]
  expect(found[0]).toMatchObject({ rule: 'gap', severity: 'problem', processorName: 'projection' })
  for (const command of ['leases', 'estimate', 'doctor']) {
    const { stdout } = await shop.command(command)
    expect(Math.max(...stdout.split('\n').map(({ length }) => length)), stdout).toBeLessThanOrEqual(80)
  }
})

it('`doctor` reports a missing container and a store that does not answer', async () => {
  const shop = await aShop()
  await shop.leases.delete()
  const missing = await shop.command('doctor')
  expect(missing.code).toBe(1)
  expect(missing.stdout).toMatch(/problem containerMissing\n {2}container "own-leases" does not exist/)
  expect(missing.stdout).toContain('"stepward provision" creates')
  const leases = await shop.command('leases')
  expect(leases.code).toBe(5)
  expect(leases.stderr).toMatch(
    /container "own-leases" does not exist: run "stepward doctor" to see what to do/,
  )
  const away = await run(cli, ['doctor', '--endpoint', 'http://127.0.0.1:9/', '--key', 'd3Jvbmc='])
  expect(away.code).toBe(5)
  expect(away.stderr).toMatch(/no answer from/)
})
