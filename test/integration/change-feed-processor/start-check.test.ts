import type { Container } from '@azure/cosmos'
import { describe, expect, it } from 'vitest'
import { accountHostOf } from '../../../lease-store/internal.js'
import {
  ChangeFeedProcessor,
  ProcessorOptionsError,
  type ChangeFeedProcessorOptions,
} from '../../../src/change-feed-processor/index.js'
import type { FaultOperation } from '../../../src/emulator/index.js'
import { seededRandom } from '../../../src/platform/index.js'
import { aNewLease } from '../../support/a-lease.js'
import { cosmosWorld, type CosmosWorld } from '../../support/cosmos-world.js'
import { intercepted, storeError } from '../../support/intercepted.js'

type Changed = Partial<ChangeFeedProcessorOptions<unknown>>

function processorOn(world: CosmosWorld, changed: Changed): ChangeFeedProcessor<unknown> {
  return new ChangeFeedProcessor<unknown>(
    {
      monitoredContainer: world.monitoredContainer,
      leaseContainer: world.leaseContainer,
      processorName: 'unit',
      instanceName: 'one',
      onChanges: () => undefined,
      ...changed,
    },
    { clock: world.clock, random: seededRandom(1) },
  )
}

/** The problems that start reports. */
async function problemsOf(world: CosmosWorld, changed: Changed = {}): Promise<readonly string[]> {
  const failure: unknown = await processorOn(world, changed)
    .start()
    .catch((error: unknown) => error)
  if (failure instanceof ProcessorOptionsError) return failure.problems
  throw new Error('it started, or failed otherwise', { cause: failure })
}

async function documentsIn(container: Container): Promise<number> {
  return (await container.items.query('SELECT * FROM c').fetchAll()).resources.length
}

async function otherLeases(world: CosmosWorld, partitionKey: string, ttl?: number): Promise<Container> {
  const { container } = await world.monitoredContainer.database.containers.create({
    id: 'other-leases',
    partitionKey,
    ...(ttl === undefined ? {} : { defaultTtl: ttl }),
  })
  return container
}

/** The lease container, whose first read fails. */
const unreadable = (world: CosmosWorld, code: number): Container =>
  intercepted<Container, 'read'>(world.leaseContainer, 'read', [() => Promise.reject(storeError(code))])

describe('`start` (§8.1 NotExistentLeaseContainer, §8.2 key paths and modes)', () => {
  it('refuses containers that do not exist, and names both at once (B8)', async () => {
    const world = await cosmosWorld('SDK in process')
    const { database } = world.monitoredContainer
    const [monitoredContainer, leaseContainer] = [database.container('nothing'), database.container('none')]
    expect(await problemsOf(world, { monitoredContainer, leaseContainer })).toEqual([
      'monitoredContainer "nothing" does not exist in database "shop"; create it first',
      'leaseContainer "none" does not exist in database "shop"; create it first',
    ])
  })

  it('reports all problems with options and containers in one error (B99)', async () => {
    const world = await cosmosWorld('SDK in process')
    const leaseContainer = await otherLeases(world, '/owner')
    const problems = await problemsOf(world, { leaseContainer, instanceName: '', maxItemCount: 0 })
    expect(problems).toEqual([
      expect.stringMatching(/^instanceName is ""/),
      expect.stringMatching(/^maxItemCount is 0/),
      expect.stringMatching(/^lease container "other-leases" is partitioned by \/owner, .*\/id/),
      expect.stringMatching(/^lease container "other-leases" has time to live turned off, .* set .* -1/),
    ])
    expect(await documentsIn(leaseContainer)).toBe(0)
  })

  it('refuses a value that is no container, reports all other problems, and writes nothing', async () => {
    const world = await cosmosWorld('SDK in process', { leaseTtl: null })
    const changed: object = {
      monitoredContainer: 'orders',
      startFrom: 'yesterday',
      processorName: 7,
      hint: {},
    }
    expect(await problemsOf(world, changed)).toEqual([
      expect.stringMatching(/^hint is not an option: the options are monitoredContainer, /),
      expect.stringMatching(/^monitoredContainer is "orders"; it must be a Container of @azure\/cosmos/),
      expect.stringMatching(/^processorName is 7; it must be a text/),
      expect.stringMatching(/^startFrom is "yesterday"; it must be "now", "beginning" or a valid Date/),
      expect.stringMatching(/^lease container "leases" has time to live turned off/),
    ])
    expect(await documentsIn(world.leaseContainer)).toBe(0)
  })

  it('refuses a lease container that deletes leases (F-X6)', async () => {
    const world = await cosmosWorld('SDK in process')
    const leaseContainer = await otherLeases(world, '/id', 60)
    expect(await problemsOf(world, { leaseContainer })).toEqual([
      expect.stringMatching(
        /deletes documents that were not written for 60 s, including leases .* set .* -1/,
      ),
    ])
  })

  it('refuses an old lease container without a partition key of its own (B18)', async () => {
    const world = await cosmosWorld('SDK in process')
    const leaseContainer = intercepted<Container, 'read'>(world.leaseContainer, 'read', [
      async (forward) => {
        const answer = await forward()
        const partitionKey = { paths: ['/_partitionKey'], systemKey: true }
        return Object.assign(answer, { resource: { ...answer.resource, partitionKey } })
      },
    ])
    expect(await problemsOf(world, { leaseContainer })).toEqual([
      expect.stringMatching(/^lease container "leases" is partitioned by \/_partitionKey, .*\/id/),
    ])
    expect(await documentsIn(world.leaseContainer)).toBe(0)
  })

  it('refuses the monitored container as lease container', async () => {
    const world = await cosmosWorld('SDK in process')
    expect(await problemsOf(world, { leaseContainer: world.monitoredContainer })).toEqual([
      expect.stringMatching(/^leaseContainer is monitoredContainer/),
    ])
  })

  it.each([
    [401, /may not be read: the key or token.*401/],
    [403, /may not be read \(403\); give this identity the role/],
  ])('refuses a container that it may not read (%i)', async (code, problem) => {
    const world = await cosmosWorld('SDK in process')
    const leaseContainer = unreadable(world, code)
    expect(await problemsOf(world, { leaseContainer })).toEqual([expect.stringMatching(problem)])
  })

  it.each<[container: 'orders' | 'leases', operation: FaultOperation, status: number, problem: RegExp]>([
    [
      'orders',
      'changeFeed',
      403,
      /^monitoredContainer "orders" may not be read as a change feed \(403\); give/,
    ],
    ['orders', 'pkranges', 401, /^monitoredContainer "orders" may not be read as a change feed: the key/],
    ['leases', 'query', 403, /^leaseContainer "leases" may not be queried \(403\)/],
    ['leases', 'read', 403, /^leaseContainer "leases" may not be read \(403\)/],
    ['leases', 'replace', 403, /^leaseContainer "leases" may not be written \(403\)/],
    ['leases', 'delete', 401, /^leaseContainer "leases" may not be deleted from: the key .*\(401\)/],
  ])(
    'reports a right that the identity lacks on %s: %s (F-X15)',
    async (container, operation, status, problem) => {
      const world = await cosmosWorld('SDK in process')
      const added = world.faults.add({ match: { container, operation }, status })
      const problems = await problemsOf(world, { startFrom: 'beginning', instanceName: '' })
      expect(problems).toEqual([expect.stringMatching(/^instanceName/), expect.stringMatching(problem)])
      world.faults.remove(added)
      expect(await documentsIn(world.leaseContainer)).toBe(0)
    },
  )

  it('reports all rights that the identity lacks on both containers at once', async () => {
    const world = await cosmosWorld('SDK in process')
    world.faults.add({ match: { operation: ['changeFeed', 'query', 'replace', 'delete'] }, status: 403 })
    expect(await problemsOf(world)).toHaveLength(4)
  })

  it('refuses a dead-letter container that is missing or is the monitored container', async () => {
    const world = await cosmosWorld('SDK in process')
    const { monitoredContainer } = world
    const keptIn = (deadLetter: Container): Changed => ({
      failurePolicy: { retry: { tries: 1 }, then: 'deadLetter', deadLetter },
    })
    expect(await problemsOf(world, keptIn(monitoredContainer.database.container('none')))).toEqual([
      'failurePolicy.deadLetter "none" does not exist in database "shop"; create it first',
    ])
    expect(await problemsOf(world, keptIn(monitoredContainer))).toEqual([
      expect.stringMatching(/^failurePolicy.deadLetter is monitoredContainer, so each dead letter/),
    ])
    expect(await documentsIn(world.leaseContainer)).toBe(0)
  })

  it('refuses a container that does not keep all versions, in the mode that needs them', async () => {
    const world = await cosmosWorld('SDK in process')
    const failure: unknown = await new ChangeFeedProcessor<unknown>(
      {
        monitoredContainer: world.monitoredContainer,
        leaseContainer: world.leaseContainer,
        processorName: 'unit',
        instanceName: 'one',
        mode: 'allVersionsAndDeletes',
        onChanges: () => undefined,
      },
      { clock: world.clock },
    )
      .start()
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ProcessorOptionsError)
    expect(String(failure)).toMatch(
      /^[^-]*- monitoredContainer "orders" does not serve all versions .*changeFeedPolicy/,
    )
    expect(await documentsIn(world.leaseContainer)).toBe(0)
  })

  it('refuses each lease of another mode, and writes nothing (B352)', async () => {
    const world = await cosmosWorld('SDK in process')
    const store = await world.leaseStore()
    for (const leaseToken of ['0', '1'])
      await store.create(aNewLease({ leaseToken, mode: 'Full-Fidelity Feed' }))
    const problems = await problemsOf(world)
    expect(problems).toHaveLength(2)
    for (const problem of problems) expect(problem).toMatch(/"Full-Fidelity Feed".*processorName/)
    expect(await documentsIn(world.leaseContainer)).toBe(2)
  })

  it('reports all problems with options, containers and leases in one error', async () => {
    const world = await cosmosWorld('SDK in process', { leaseTtl: null })
    await (await world.leaseStore()).create(aNewLease({ mode: 'Full-Fidelity Feed' }))
    expect(await problemsOf(world, { maxItemCount: 0 })).toEqual([
      expect.stringMatching(/^maxItemCount is 0/),
      expect.stringMatching(/^lease container "leases" has time to live turned off/),
      expect.stringMatching(/^lease "0" follows the feed in mode "Full-Fidelity Feed"/),
    ])
    expect(await documentsIn(world.leaseContainer)).toBe(1)
  })

  it('refuses a lease of the Java SDK, and writes nothing (F-L25)', async () => {
    const world = await cosmosWorld('SDK in process')
    const created = await (await world.leaseStore()).create(aNewLease())
    if (created.kind !== 'created') throw new Error(created.kind)
    const { FeedRange, ...document } = created.lease.document
    await world.leaseContainer.items.upsert({ ...document, version: 1, feedRange: FeedRange })
    expect(await problemsOf(world)).toEqual([expect.stringMatching(/Java SDK.*choose another processorName/)])
    expect(await documentsIn(world.leaseContainer)).toBe(1)
  })
})

describe('a processor name beside hosts of the Java SDK (F-L25)', () => {
  const javas = async (world: CosmosWorld, processorName: string, containerName: string): Promise<string> =>
    `${processorName}${await accountHostOf(world.leaseContainer)}_shop_${containerName}`

  it.each(['..0', '.info', '.lock'])(
    'is refused because of their document %s, and nothing is written',
    async (ending) => {
      const world = await cosmosWorld('SDK in process')
      const id = `${await javas(world, 'unit', world.monitoredContainer.id)}${ending}`
      await world.leaseContainer.items.create({
        id,
        LeaseToken: '0',
        ContinuationToken: '"5"',
        Owner: 'java-1',
      })
      expect(await problemsOf(world)).toEqual([
        `leaseContainer "leases" holds document ${JSON.stringify(id)}, which hosts of the Java SDK ` +
          'wrote for processorName "unit"; the leases of such hosts cannot be shared, so choose another ' +
          'processorName',
      ])
      expect(await documentsIn(world.leaseContainer)).toBe(1)
    },
  )

  it('is accepted when their documents belong to another name or another container', async () => {
    const world = await cosmosWorld('SDK in process')
    const { id } = world.monitoredContainer
    const others = [await javas(world, 'other', id), await javas(world, 'unit', `${id}-archive`)]
    for (const prefix of others) await world.leaseContainer.items.create({ id: `${prefix}..0` })
    const processor = processorOn(world, {})
    await processor.start()
    await Promise.all([processor.stop(), world.clock.advance(1_000)])
  })
})

describe('a store that does not answer at start', () => {
  it('delays the start when its error may pass', async () => {
    const world = await cosmosWorld('SDK in process')
    const processor = processorOn(world, { leaseContainer: unreadable(world, 503) })
    const starting = processor.start()
    await world.clock.advance(1_000)
    await starting
    await processor.stop()
    expect(world.clock.pendingTimers).toBe(0)
  })

  it('does not hide problems with the options', async () => {
    const world = await cosmosWorld('SDK in process')
    const failed = processorOn(world, { leaseContainer: unreadable(world, 400) }).start()
    await expect(failed).rejects.toMatchObject({ code: 400 })
    const leaseContainer = unreadable(world, 400)
    expect(await problemsOf(world, { leaseContainer, instanceName: '' })).toHaveLength(1)
  })
})

describe('options that a compiler would have refused', () => {
  it('are reported all at once by `start` (B232, B233, B234, B251)', async () => {
    const processor = new ChangeFeedProcessor({} as unknown as ChangeFeedProcessorOptions<unknown>)
    const failure: unknown = await processor.start().catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ProcessorOptionsError)
    const { problems } = failure as ProcessorOptionsError
    expect(problems.map((problem) => problem.split(' ')[0]).sort()).toEqual([
      'instanceName',
      'leaseContainer',
      'monitoredContainer',
      'onChanges',
      'processorName',
    ])
  })
})
