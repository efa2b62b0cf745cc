import { describe, expect, it } from 'vitest'
import { leases, monitored } from './processor-unit.js'
import type { Scene } from './scene.js'
import { first, host, minuteMs, restartCrashed, sceneWith, stopIn } from './two-hosts.js'

function ownersIn({ ownership }: Scene): ReadonlySet<string | null> {
  return new Set(ownership.leases.map(({ owner }) => owner))
}

describe('a deployment unit that is shared with a .NET host', () => {
  it.each([
    ['whose clock is right', 0],
    ['whose clock is behind, and the timestamps it writes with it', -45_000],
  ])(
    '%s loses no change and covers every range while leases are stolen (I10, I11)',
    async (_name, skewMs) => {
      const scene = sceneWith({ partitionCount: 6, writeIntervalMs: 300 })
      await scene.pass(2 * minuteMs)
      scene.startDotnet({ name: 'dotnet', skewMs, driftPpm: 0 })
      await scene.pass(5 * minuteMs)
      const stolen = scene.ownership.moves.filter(({ kind, to }) => kind === 'stolen' && to === 'dotnet')
      expect(stolen.length).toBeGreaterThan(0)
      expect(ownersIn(scene)).toContain('dotnet')
      expect((await scene.recover()).problems).toEqual([])
    },
  )

  it('stays correct although the .NET host, whose clock is ahead, considers all leases expired', async () => {
    const scene = sceneWith({ partitionCount: 6, writeIntervalMs: 300 })
    await scene.pass(2 * minuteMs)
    scene.startDotnet({ name: 'dotnet', skewMs: 90_000, driftPpm: 0 })
    await scene.pass(5 * minuteMs)
    const stolen = scene.ownership.moves.filter(({ kind, to }) => kind === 'stolen' && to === 'dotnet')
    expect(stolen.length).toBeGreaterThan(6)
    expect(scene.world.problems).toEqual([])
  })

  it('comes to rest with an equal share for every host', async () => {
    const scene = sceneWith({ partitionCount: 9, computers: [host('host-0'), host('host-1')] })
    scene.startDotnet(host('dotnet'))
    await scene.pass(4 * minuteMs)
    const { length } = scene.ownership.moves
    await scene.pass(10 * minuteMs)
    expect(scene.ownership.moves).toHaveLength(length)
    expect(ownersIn(scene).size).toBe(3)
    expect((await scene.recover()).problems).toEqual([])
  })

  it('continues with the children of a split that the .NET host overwrites unconditionally', async () => {
    const scene = sceneWith({ partitionCount: 1, writeIntervalMs: 60 * minuteMs, computers: [first] })
    await scene.pass(5_000)
    await stopIn(scene, first)
    scene.startDotnet(host('dotnet'))
    await scene.pass(minuteMs)
    restartCrashed(scene)
    scene.world.container(monitored).splitPartition('0')
    expect(await scene.world.runUntil(() => ownersIn(scene).has(first.name), 3 * minuteMs)).toBe(true)
    // The host stores what it reads now, before it learns that the lease has a new owner.
    for (let write = 0; write < 20; write += 1) scene.workload.write()
    await scene.pass(2 * minuteMs)
    const isWrittenOver = scene.ownership.moves.some(({ from, to }) => from === first.name && to === 'dotnet')
    expect(isWrittenOver).toBe(true)
    expect((await scene.recover()).problems).toEqual([])
    expect(scene.ownership.leases.map(({ leaseToken }) => leaseToken).sort()).toEqual(['1', '2'])
  })

  it('names a lease of merged partitions by its bounds, in a form both can read (F-P7, §4.10)', async () => {
    const scene = sceneWith({ partitionCount: 2, computers: [first] })
    await scene.pass(minuteMs)
    scene.world.container(monitored).mergePartitions(['0', '1'])
    await scene.pass(minuteMs)
    const tokens = () => scene.ownership.leases.map(({ leaseToken }) => leaseToken).sort()
    expect(tokens()).toEqual(['0', '1'])
    // The guest takes one of the two leases, and finds that its partition is gone.
    const guest = scene.startDotnet(host('dotnet'))
    await scene.pass(2 * minuteMs)
    const byBounds = scene.ownership.leases.filter(({ document }) => document['version'] === 1)
    expect(byBounds.map(({ owner }) => owner)).toEqual(['dotnet'])
    const [converted] = byBounds
    expect(converted?.leaseToken).toBe(`${converted?.feedRange.min}-${converted?.feedRange.max}`)
    // The other direction: our host continues with the guest's leases.
    guest.process.crash()
    await scene.pass(2 * minuteMs)
    scene.workload.stop()
    await scene.pass(minuteMs / 2)
    expect(scene.ownership.leases.map(({ owner }) => owner)).toEqual([first.name, first.name])
    expect([scene.deliveries.openCount, scene.world.problems]).toEqual([0, []])
    expect(tokens()).toContain(converted?.leaseToken)
  })

  it('takes over the leases of a crashed .NET host by the time of the store', async () => {
    const scene = sceneWith({ partitionCount: 6 })
    const guest = scene.startDotnet({ name: 'dotnet', skewMs: 45_000, driftPpm: 0 })
    await scene.pass(4 * minuteMs)
    expect(ownersIn(scene)).toContain('dotnet')
    guest.process.crash()
    // The expiration, a second for the rounding of the store's time, and one of our acquire intervals.
    await scene.pass(60_000 + 1_000 + 17_000 + 1_000)
    expect(ownersIn(scene)).not.toContain('dotnet')
    expect(scene.world.problems).toEqual([])
  })

  it('keeps properties that other tools have added to a lease', async () => {
    const scene = sceneWith({ partitionCount: 2 })
    scene.startDotnet(host('dotnet'))
    await scene.pass(minuteMs)
    const [lease] = scene.ownership.leases
    const id = String(lease?.document['id'])
    const stored = { ...scene.world.container(leases).find([id], id)?.document }
    const before = lease?.document['properties'] as Record<string, string> | undefined
    const properties = { ...before, 'other.tool': 'was here' }
    scene.world.container(leases).execute([id], { kind: 'upsert', document: { ...stored, properties } })
    await scene.pass(3 * minuteMs)
    const kept = scene.ownership.leases.find(({ leaseToken }) => leaseToken === lease?.leaseToken)
    expect(kept?.document['properties']).toMatchObject({ 'other.tool': 'was here' })
    expect((await scene.recover()).problems).toEqual([])
  })
})
