import { describe, expect, it } from 'vitest'
import { checkpoint, type Lease, type LeaseStore, type NewLease } from '../../../../lease-store/index.js'
import { leaseTokenOf } from '../../../../lease-store/internal.js'
import { PartitionSynchronizer } from '../../../../src/change-feed-processor/ownership/partition-synchronizer.js'
import { aNewLease } from '../../../support/a-lease.js'
import { aRuntime, storedLease, type TestRuntime } from '../../../support/a-runtime.js'

const lookMs = 5 * 60_000

interface Watching {
  readonly runtime: TestRuntime
  readonly watch: PartitionSynchronizer
  /** Lists the leases, as every instance does regularly, and makes the next look when it is due. */
  readonly look: () => Promise<void>
}

async function watching(leases: readonly Partial<NewLease>[], given?: TestRuntime): Promise<Watching> {
  const runtime = given ?? (await aRuntime())
  for (const lease of leases) await runtime.leaseStore.create(aNewLease(lease))
  await runtime.leaseStore.initialization.markDone()
  const watch = new PartitionSynchronizer(runtime)
  const look = async (): Promise<void> => {
    watch.note((await runtime.leaseStore.list()).leases)
    await runtime.world.clock.advance(lookMs)
    await watch.look()
  }
  return { runtime, watch, look }
}

async function checkpointed(
  { leaseStore, clock }: TestRuntime,
  leaseToken: string,
  token: string,
): Promise<Lease> {
  const lease = await leaseStore.read(leaseToken)
  if (lease === null) throw new Error(`there is no lease ${leaseToken}`)
  const outcome = await leaseStore.replace(checkpoint(lease, token, clock.now()))
  if (outcome.kind !== 'written') throw new Error(outcome.kind)
  return outcome.lease
}

const named = (min: string, max: string): Partial<NewLease> => ({
  leaseToken: leaseTokenOf({ min, max }),
  feedRange: { min, max },
})

describe('leases that are missing (F-L23)', () => {
  it('are created again at the position last seen', async () => {
    const { runtime, look } = await watching([{}])
    const lease = await checkpointed(runtime, '0', '"7"')
    await look()
    await runtime.leaseStore.delete(lease)
    await look()
    expect(await storedLease(runtime)).toMatchObject({ owner: null, continuationToken: '"7"' })
    expect(runtime.telemetry.of('lease.recreated')).toMatchObject([{ leaseToken: '0' }])
  })

  it('begin at the last seen position of their parent if that was deleted without them (I10)', async () => {
    const { runtime, look } = await watching([named('', '80'), named('80', 'FF')])
    const parent = await checkpointed(runtime, '-80', '"7"')
    await look()
    await runtime.leaseStore.create(aNewLease({ ...named('', '40'), continuationToken: '"9"' }))
    await runtime.leaseStore.delete(parent)
    await look()
    const { leases } = await runtime.leaseStore.list()
    const positions = leases.map(({ leaseToken, continuationToken }) => [leaseToken, continuationToken])
    expect(positions).toContainEqual(['40-80', '"7"'])
    expect(positions).toContainEqual(['-40', '"9"'])
  })

  it('begin where the unit began if this instance has never seen them', async () => {
    const { runtime, look } = await watching([named('', '80')])
    await look()
    const { leases } = await runtime.leaseStore.list()
    const found = leases.find(({ leaseToken }) => leaseToken === '80-FF')
    expect(found).toMatchObject({ continuationToken: null, firstPosition: { kind: 'beginning' } })
  })

  it('are not created when only one of two listings misses them, as during a split', async () => {
    let listings = 0
    const runtime = await aRuntime({
      leaseStore: (store) =>
        Object.assign(Object.create(store) as LeaseStore, {
          list: async () => {
            listings += 1
            const listed = await store.list()
            return listings === 1 ? { ...listed, leases: listed.leases.slice(-1) } : listed
          },
        }),
    })
    const { watch } = await watching([named('', '40'), named('40', '80'), named('80', 'FF')], runtime)
    await runtime.world.clock.advance(lookMs)
    await watch.look()
    expect(Object.keys(await positions(runtime)).sort()).toEqual(['-40', '40-80', '80-FF'])
    expect(runtime.telemetry.of('lease.recreated')).toEqual([])
  })

  it('begin at the position that was written last if two leases covered their range', async () => {
    const { runtime, look } = await watching([at(named('', 'FF'), '"9"'), {}])
    await runtime.world.clock.advance(10_000)
    const later = await checkpointed(runtime, '0', '"7"')
    await look()
    await runtime.leaseStore.delete(later)
    const { leases } = await runtime.leaseStore.list()
    for (const lease of leases) await runtime.leaseStore.delete(lease)
    await look()
    expect(await storedLease(runtime)).toMatchObject({ continuationToken: '"7"' })
  })

  it('begin at their last position even if they have no first position', async () => {
    const { runtime, look } = await watching([at({}, '"7"')])
    await look()
    const lease = await storedLease(runtime)
    if (lease === null) throw new Error('there is no lease')
    await runtime.leaseStore.delete(lease)
    await look()
    expect(await storedLease(runtime)).toMatchObject({ continuationToken: '"7"' })
  })

  it.each([
    [{ kind: 'time', atMs: 5_000 } as const, { kind: 'time', atMs: 5_000 }],
    [null, { kind: 'beginning' }],
  ])(
    'that were never read begin at their first position, else where the unit began: %j',
    async (stored, begins) => {
      const { runtime, look } = await watching([{ firstPosition: stored }])
      await look()
      const lease = await storedLease(runtime)
      if (lease === null) throw new Error('there is no lease')
      await runtime.leaseStore.delete(lease)
      await look()
      expect(await storedLease(runtime)).toMatchObject({ continuationToken: null, firstPosition: begins })
    },
  )

  it('are looked for only once every five minutes', async () => {
    const { runtime, watch } = await watching([named('', '80')])
    await runtime.world.clock.advance(lookMs - 1)
    await watch.look()
    expect((await runtime.leaseStore.list()).leases).toHaveLength(1)
    await runtime.world.clock.advance(1)
    await watch.look()
    const { leases } = await runtime.leaseStore.list()
    expect(leases).toHaveLength(2)
    for (const lease of leases) await runtime.leaseStore.delete(lease)
    await runtime.world.clock.advance(lookMs - 1)
    await watch.look()
    expect((await runtime.leaseStore.list()).leases).toEqual([])
  })

  it('cost one listing when no lease is missing', async () => {
    let listings = 0
    const runtime = await aRuntime({
      leaseStore: (store) =>
        Object.assign(Object.create(store) as LeaseStore, {
          list: () => {
            listings += 1
            return store.list()
          },
        }),
    })
    const { watch } = await watching([{}], runtime)
    await runtime.world.clock.advance(lookMs)
    await watch.look()
    expect(listings).toBe(1)
  })
})

/** What the leases are now, each with its position. */
async function positions({ leaseStore }: TestRuntime): Promise<Readonly<Record<string, string | null>>> {
  const { leases } = await leaseStore.list()
  return Object.fromEntries(
    leases.map(({ leaseToken, continuationToken }) => [leaseToken, continuationToken]),
  )
}

const at = (range: Partial<NewLease>, continuationToken: string): Partial<NewLease> => ({
  ...range,
  continuationToken,
  firstPosition: null,
})

describe('leases that cover the same range (I11)', () => {
  it('are replaced by finer ones at the second look, if they have come as far', async () => {
    const leases = [at(named('', 'FF'), '"9"'), at(named('', '80'), '"7"'), at(named('80', 'FF'), '"9"')]
    const { runtime, look } = await watching(leases)
    await look()
    expect(runtime.telemetry.of('lease.superseded')).toEqual([])
    await look()
    expect(await positions(runtime)).toEqual({ '-80': '"7"', '80-FF': '"9"' })
    const [event] = runtime.telemetry.of('lease.superseded')
    expect(event).toMatchObject({ leaseToken: '-FF', by: ['-80', '80-FF'] })
    expect(runtime.telemetry.of('feed.failed')).toEqual([])
  })

  it('are kept until the wider one has come as far as the finer ones were (I10)', async () => {
    const { runtime, look } = await watching([at(named('', 'FF'), '"4"'), at(named('', '80'), '"7"')])
    await look()
    await look()
    expect(await positions(runtime)).toEqual({ '-FF': '"4"', '-80': '"7"' })
    const failures = runtime.telemetry.of('feed.failed')
    expect(failures).toHaveLength(1)
    expect(String(failures[0]?.error)).toMatch(/twice.*"-FF" is replaced when .* the position of "-80"/)
    await checkpointed(runtime, '-80', '"12"')
    await checkpointed(runtime, '-FF', '"8"')
    await look()
    expect(await positions(runtime)).toEqual({ '80-FF': '"8"', '-80': '"12"' })
    expect(runtime.telemetry.of('feed.failed')).toHaveLength(1)
  })

  it('that overlap in part are cut, and the rest of the cut lease keeps its position', async () => {
    const { runtime, look } = await watching([at(named('', '80'), '"7"'), at(named('60', 'FF'), '"7"')])
    await look()
    await look()
    expect(await positions(runtime)).toEqual({ '-80': '"7"', '80-FF': '"7"' })
    expect(runtime.telemetry.of('feed.failed')).toEqual([])
  })

  it('are left alone when the lease to delete was written meanwhile (I12)', async () => {
    const runtime = await aRuntime({
      leaseStore: (store) =>
        Object.assign(Object.create(store) as LeaseStore, {
          delete: async (lease: Lease) => {
            await checkpointed(runtime, lease.leaseToken, '"99"')
            return store.delete(lease)
          },
        }),
    })
    const { look } = await watching([named('', 'FF'), named('', '80'), named('80', 'FF')], runtime)
    await look()
    await look()
    expect(await positions(runtime)).toEqual({ '-FF': '"99"', '-80': null, '80-FF': null })
    expect(runtime.telemetry.of('lease.superseded')).toEqual([])
  })

  it('are left alone when another instance creates the missing lease beside them', async () => {
    const runtime = await aRuntime({
      leaseStore: (store) =>
        Object.assign(Object.create(store) as LeaseStore, {
          create: async (lease: NewLease) => {
            await store.create({ ...lease, continuationToken: '"99"' })
            return store.create(lease)
          },
        }),
    })
    const { look } = await watching([], runtime)
    const store = await runtime.world.leaseStore()
    for (const lease of [named('', 'FF'), named('', '80')]) await store.create(aNewLease(lease))
    await look()
    await look()
    expect(await positions(runtime)).toEqual({ '-FF': null, '-80': null, '80-FF': '"99"' })
  })

  it('of different modes are reported while others are replaced', async () => {
    const { runtime, look } = await watching([
      at(named('', '80'), '"7"'),
      at(named('60', '80'), '"7"'),
      named('80', 'FF'),
      { ...named('80', 'C0'), mode: 'Full-Fidelity Feed' },
    ])
    await look()
    await look()
    expect(runtime.telemetry.of('lease.superseded')).toHaveLength(1)
    const failures = runtime.telemetry.of('feed.failed').map(({ error }) => String(error))
    expect(failures).toEqual([expect.stringMatching(/"80-FF".*"80-C0"|"80-C0".*"80-FF"/)])
  })

  it('of different modes are reported with advice, because their positions do not compare', async () => {
    const { runtime, look } = await watching([
      named('', 'FF'),
      { ...named('', '80'), mode: 'Full-Fidelity Feed' },
      { ...named('80', 'C0'), mode: 'Full-Fidelity Feed' },
    ])
    await look()
    expect(runtime.telemetry.of('feed.failed')).toEqual([])
    await look()
    await look()
    const failures = runtime.telemetry.of('feed.failed').map(({ error }) => String(error))
    expect(failures).toHaveLength(2)
    expect(failures[0]).toMatch(/delete one/)
    expect(failures.join()).toMatch(/"-80"/)
    expect(failures.join()).toMatch(/"80-C0"/)
    expect(Object.keys(await positions(runtime))).toHaveLength(3)
  })
})
