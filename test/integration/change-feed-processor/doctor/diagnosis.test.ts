import type { Container, ItemDefinition } from '@azure/cosmos'
import { beforeEach, describe, expect, it } from 'vitest'
import { ChangeFeedProcessor } from '../../../../src/change-feed-processor/index.js'
import { diagnose, inspect, type Finding } from '../../../../src/change-feed-processor/internal.js'
import { accountHostOf } from '../../../../lease-store/internal.js'
import { createInProcessCosmos, type InProcessCosmos } from '../../../../src/emulator/index.js'
import { seededRandom, VirtualClock } from '../../../../src/platform/index.js'

type Stored = ItemDefinition & Record<string, unknown>

let clock: VirtualClock
let cosmos: InProcessCosmos
let monitoredContainer: Container
let leaseContainer: Container

/** The policy that a lease container should have. */
const indexingPolicy = { excludedPaths: [{ path: '/*' }] }

async function aContainer(id: string, settings: object): Promise<Container> {
  const { database } = await cosmos.client().databases.createIfNotExists({ id: 'shop' })
  return (await database.containers.create({ id, indexingPolicy, ...settings })).container
}

beforeEach(async () => {
  clock = new VirtualClock()
  cosmos = createInProcessCosmos({ clock, random: seededRandom(1), partitionCount: 4 })
  monitoredContainer = await aContainer('orders', { partitionKey: '/pk' })
  leaseContainer = await aContainer('leases', { partitionKey: '/id', defaultTtl: -1 })
})

function anInstance(instanceName: string, seed: number, processorName = 'unit'): ChangeFeedProcessor {
  return new ChangeFeedProcessor(
    {
      monitoredContainer,
      leaseContainer,
      processorName,
      instanceName,
      startFrom: 'beginning',
      onChanges: () => undefined,
    },
    { clock, random: seededRandom(seed) },
  )
}

/** A unit of one instance that has had time to take all four leases. */
async function running(): Promise<ChangeFeedProcessor> {
  const processor = anInstance('one', 7)
  await processor.start()
  await clock.advance(2_000)
  return processor
}

/** Leaves the leases of a unit that has stopped. */
async function stopped(): Promise<void> {
  const processor = await running()
  await Promise.all([processor.stop(), clock.advance(1_000)])
}

async function findings(skewMs = 0): Promise<readonly Finding[]> {
  const now = (): number => clock.now() + skewMs
  const inspection = await inspect({ monitoredContainer, leaseContainer, now })
  return diagnose(inspection, { leaseExpirationInterval: 60_000 })
}

async function rules(): Promise<string[]> {
  return (await findings()).map(({ severity, rule }) => `${severity} ${rule}`)
}

async function documents(container = leaseContainer): Promise<Stored[]> {
  return (await container.items.query<Stored>('SELECT * FROM c').fetchAll()).resources
}

async function theLease(token: string): Promise<Stored> {
  const found = (await documents()).find(({ id }) => id?.endsWith(`..${token}`))
  if (found === undefined) throw new Error(`no lease ${token}`)
  return found
}

async function change(token: string, fields: Record<string, unknown>): Promise<void> {
  await leaseContainer.items.upsert({ ...(await theLease(token)), ...fields })
}

async function remove(id: string | undefined): Promise<void> {
  await leaseContainer.item(id ?? '', id).delete()
}

describe('a deployment unit at work', () => {
  it('has no findings while it runs, and one hint after it has stopped', async () => {
    const processor = await running()
    expect(await findings()).toEqual([])
    await Promise.all([processor.stop(), clock.advance(1_000)])
    expect(await rules()).toEqual(['hint notRunning'])
  })

  it('is distinguished from a unit of another name and from unrelated documents (F-X17)', async () => {
    const processors = [anInstance('one', 1, 'first'), anInstance('one', 2, 'second')]
    await Promise.all(processors.map((processor) => processor.start()))
    await clock.advance(2_000)
    await leaseContainer.items.create({ id: 'another' })
    const { units } = await inspect({ monitoredContainer, leaseContainer, now: () => clock.now() })
    expect(units.map(({ processorName, leases }) => [processorName, leases.length])).toEqual([
      ['first', 4],
      ['second', 4],
    ])
    await Promise.all([...processors.map((processor) => processor.stop()), clock.advance(1_000)])
  })
})

describe('leases', () => {
  it('that do not cover the feed leave a gap', async () => {
    await running()
    await remove((await theLease('2')).id)
    const [gap, ...others] = await findings()
    expect(others).toEqual([])
    expect(gap).toMatchObject({ rule: 'gap', severity: 'problem', processorName: 'unit' })
    expect(gap?.observation).toMatch(/no lease covers \[[0-9A-F]+, [0-9A-F]+\)/)
  })

  it('that overlap are a problem, with advice that depends on their modes', async () => {
    await running()
    const one = await theLease('1')
    const range = (one['FeedRange'] as { Range: { min: string; max: string } }).Range
    const max = `${range.max.slice(0, 2)}80`
    await change('1', { FeedRange: { Range: { min: range.min, max } } })
    const found = await findings()
    expect(found.map(({ rule }) => rule)).toEqual(['overlap'])
    expect(found[0]?.observation).toContain('"1"')
    expect(found[0]?.observation).toContain('"2"')
    // Lease "1" is now the wider of the two.
    expect(found[0]?.advice).toMatch(/replaces lease "1" when "1" has reached the position of lease "2"/)
    await change('2', { Mode: 'Full-Fidelity Feed' })
    const overlap = (await findings()).find(({ rule }) => rule === 'overlap')
    expect(overlap?.advice).toMatch(/stop all instances and delete the lease that is further ahead/)
  })

  it('of a parent beside its children are a hint, and after a minute a problem', async () => {
    await stopped()
    const parent = {
      ...(await theLease('1')),
      LeaseToken: '-FF',
      FeedRange: { Range: { min: '', max: 'FF' } },
    }
    const id = parent.id?.replace(/1$/, '-FF') ?? ''
    await leaseContainer.items.create({ ...parent, id, version: 1 })
    expect(await rules()).toEqual(['hint unfinishedSplit', 'hint notRunning'])
    await clock.advance(61_000)
    expect(await rules()).toEqual(['problem unfinishedSplit', 'hint notRunning'])
  })

  it('of a silent owner are named, with advice', async () => {
    await stopped()
    await change('0', { Owner: 'dead', timestamp: null })
    await clock.advance(60_000)
    expect(await rules()).not.toContain('problem staleOwner')
    await clock.advance(2_000)
    const [stale, ...others] = await findings()
    expect(others).toEqual([])
    expect(stale).toMatchObject({ rule: 'staleOwner', severity: 'problem' })
    expect(stale?.observation).toMatch(/"dead" holds lease "0".* 6\d s/)
    expect(stale?.advice).toMatch(/start one/)
  })

  it('that stay free although an instance is alive are a problem', async () => {
    await stopped()
    await clock.advance(28_000)
    await change('0', { Owner: 'alive', timestamp: new Date(clock.now()).toISOString() })
    expect(await rules()).toEqual([])
    await clock.advance(4_000)
    const [left] = await findings()
    expect(left?.rule).toBe('leftFree')
    expect(left?.observation).toMatch(/leases "1", "2", "3" have been free for more than 30 s/)
  })

  it('of two processes with one name, or with names that differ only in case, are a problem', async () => {
    await running()
    const lease = await theLease('0')
    const anotherLife = JSON.stringify({ owner: 'one', incarnation: 'another life' })
    const properties = { ...(lease['properties'] as object), 'stepward.incarnation': anotherLife }
    await change('0', { properties })
    expect(await rules()).toEqual(['problem instanceNameTwice'])
    await change('0', { properties: lease['properties'], Owner: 'ONE' })
    expect(await rules()).toEqual(['problem instanceNameTwice'])
  })

  it('reveal a wrong clock of their owner or of this host', async () => {
    await running()
    await change('0', { timestamp: new Date(clock.now() + 11_000).toISOString() })
    expect(await rules()).toEqual(['problem clockSkew'])
    await change('0', { timestamp: new Date(clock.now() - 9_000).toISOString() })
    expect(await rules()).toEqual([])
    expect((await findings(-12_000)).map(({ observation }) => observation)).toEqual([
      expect.stringMatching(/this host's clock is 1[23] s behind the store's/),
    ])
  })

  it('of the Java SDK, of an unknown version and of an unknown mode are foreign', async () => {
    await running()
    await change('0', { ContinuationToken: 'eyJWIjoxfQ==' })
    await change('1', { version: 7 })
    await change('2', { Mode: 'Something Else' })
    const found = await findings()
    expect(found.filter(({ rule }) => rule === 'foreignLease')).toHaveLength(3)
    expect(found.map(({ advice }) => advice).join()).toMatch(/another processorName.*update this package/)
  })

  it('of a Java unit, or its marker alone, are one hint without advice to delete', async () => {
    const prefix = `java${await accountHostOf(monitoredContainer)}_shop_orders`
    await leaseContainer.items.create({ id: `${prefix}.info` })
    const markerOnly = await findings()
    expect(markerOnly.map(({ severity, rule }) => `${severity} ${rule}`)).toEqual(['hint foreignLease'])
    for (const token of ['0', '1'])
      await leaseContainer.items.create({ id: `${prefix}..${token}`, LeaseToken: token, Owner: 'java-1' })
    const found = await findings()
    expect(found).toMatchObject([
      {
        severity: 'hint',
        rule: 'foreignLease',
        processorName: 'java',
        observation: `hosts of the Java SDK keep 2 leases under ${JSON.stringify(prefix)}`,
      },
    ])
    expect(found[0]?.advice).not.toMatch(/delete|remove/)
  })

  it('of a Java unit with ids in the form of .NET are one hint as well', async () => {
    await stopped()
    for (const lease of (await documents()).filter(({ id }) => id?.includes('..') === true))
      await leaseContainer.items.upsert({ ...lease, ContinuationToken: 'eyJWIjoxfQ==', version: 1 })
    expect(await rules()).toEqual(['hint foreignLease'])
  })

  it('of two modes in one unit are a problem', async () => {
    await running()
    await change('0', { Mode: 'Full-Fidelity Feed' })
    expect(await rules()).toEqual(['problem mixedModes'])
  })

  it('stored twice under different partition keys are a problem', async () => {
    leaseContainer = await aContainer('keyed', { partitionKey: '/partitionKey', defaultTtl: -1 })
    await running()
    await leaseContainer.items.create({ ...(await theLease('0')), partitionKey: 'a random one' })
    expect(await rules()).toEqual(['problem duplicateLease'])
  })
})

describe('findings about the marker and the lock', () => {
  it('include a problem when leases have no marker', async () => {
    await running()
    await remove((await documents()).find(({ id }) => id?.endsWith('.info'))?.id)
    expect(await rules()).toEqual(['problem markerMissing'])
  })

  it('include a problem when the marker has no leases', async () => {
    await running()
    for (const { id } of await documents()) if (id?.includes('..') === true) await remove(id)
    expect(await rules()).toEqual(['problem nothingButMarker'])
  })

  it('include a problem when the lock is held for more than a minute', async () => {
    await running()
    const marker = (await documents()).find(({ id }) => id?.endsWith('.info'))?.id ?? ''
    await leaseContainer.items.create({ id: marker.replace(/\.info$/, '.lock') })
    expect(await rules()).toEqual([])
    await clock.advance(61_000)
    expect(await rules()).toEqual(['problem staleLock'])
  })
})

describe('containers', () => {
  it('for leases must let locks expire, but must not delete leases', async () => {
    leaseContainer = await aContainer('eternal', { partitionKey: '/id' })
    expect(await rules()).toEqual(['problem leaseContainerTtl'])
    leaseContainer = await aContainer('fleeting', { partitionKey: '/id', defaultTtl: 3_600 })
    expect((await findings())[0]?.observation).toMatch(/deletes documents that were not written for 3600 s/)
  })

  it('for leases get a hint when they index every field', async () => {
    const settings = { partitionKey: '/id', defaultTtl: -1 }
    leaseContainer = await aContainer('indexed', { ...settings, indexingPolicy: {} })
    expect(await rules()).toEqual(['hint leaseContainerIndexing'])
    leaseContainer = await aContainer('unindexed', { ...settings, indexingPolicy: { indexingMode: 'none' } })
    expect(await rules()).toEqual([])
  })

  it('for leases are a problem with the partition key /owner', async () => {
    leaseContainer = await aContainer('wrong', { partitionKey: '/owner', defaultTtl: -1 })
    expect(await rules()).toEqual(['problem leaseContainerKey'])
  })

  it('that are missing are all named', async () => {
    monitoredContainer = monitoredContainer.database.container('nowhere')
    leaseContainer = monitoredContainer.database.container('nowhere either')
    const found = await findings()
    expect(found.map(({ rule }) => rule)).toEqual(['containerMissing', 'containerMissing'])
  })

  it('that refuse an action are reported with that action (F-X15)', async () => {
    cosmos.faults.add({ match: { operation: 'query', container: 'leases' }, status: 403, times: 1 })
    const found = await findings()
    expect(found.map(({ rule }) => rule)).toEqual(['actionForbidden'])
    expect(found[0]?.observation).toMatch(/executeQuery on container "leases"/)
  })

  it('get a hint when the ids of leases spell the account in two ways (F-X18)', async () => {
    await running()
    const lease = await theLease('0')
    const id = lease.id?.replace(/^unit[^_]*/, 'unitelsewhere.example') ?? ''
    await leaseContainer.items.create({ ...lease, id })
    expect(await rules()).toContain('hint accountSpelling')
  })
})
