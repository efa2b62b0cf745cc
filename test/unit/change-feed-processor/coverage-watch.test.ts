import { describe, expect, it } from 'vitest'
import { checkpoint, leaseTokenOf, type Lease, type NewLease } from '../../../lease-store/index.js'
import { CoverageWatch } from '../../../src/change-feed-processor/coverage-watch.js'
import { aNewLease } from '../../support/a-lease.js'
import { aRuntime, storedLease, type TestRuntime } from '../../support/a-runtime.js'

const lookMs = 5 * 60_000

interface Watching {
  readonly runtime: TestRuntime
  readonly watch: CoverageWatch
  /** The leases are listed, as every instance does all the time, and the next look is due. */
  readonly look: () => Promise<void>
}

async function watching(leases: readonly Partial<NewLease>[]): Promise<Watching> {
  const runtime = await aRuntime()
  for (const lease of leases) await runtime.leaseStore.create(aNewLease(lease))
  await runtime.leaseStore.initialization.markDone()
  const watch = new CoverageWatch(runtime)
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
  it('are put back where they were last seen', async () => {
    const { runtime, look } = await watching([{}])
    const lease = await checkpointed(runtime, '0', '"7"')
    await look()
    await runtime.leaseStore.delete(lease)
    await look()
    expect(await storedLease(runtime)).toMatchObject({ owner: null, continuationToken: '"7"' })
    expect(runtime.telemetry.of('lease.recreated')).toMatchObject([{ leaseToken: '0' }])
  })

  it('begin where their parent was last seen, when it went without leaving them (I10)', async () => {
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

  it('begin where the unit began, when nobody has seen them', async () => {
    const { runtime, look } = await watching([named('', '80')])
    await look()
    const { leases } = await runtime.leaseStore.list()
    const found = leases.find(({ leaseToken }) => leaseToken === '80-FF')
    expect(found).toMatchObject({ continuationToken: null, firstPosition: { kind: 'beginning' } })
  })

  it('are not looked for before it is time', async () => {
    const { runtime, watch } = await watching([named('', '80')])
    await runtime.world.clock.advance(lookMs - 1)
    await watch.look()
    expect((await runtime.leaseStore.list()).leases).toHaveLength(1)
  })
})

describe('leases that are about the same part (I11)', () => {
  it('are told of once, when they are still there at the next look', async () => {
    const { runtime, look } = await watching([named('', '80'), named('40', 'FF')])
    await look()
    expect(runtime.telemetry.of('feed.failed')).toEqual([])
    await look()
    await look()
    const failures = runtime.telemetry.of('feed.failed')
    expect(failures).toHaveLength(1)
    expect(String(failures[0]?.error)).toMatch(/\["-80","40-FF"\].*twice.*delete one/)
  })

  it('are no mistake while a split is under way', async () => {
    const { runtime, look } = await watching([named('', 'FF'), named('', '80'), named('80', 'FF')])
    await look()
    await look()
    expect(runtime.telemetry.of('feed.failed')).toEqual([])
  })
})
