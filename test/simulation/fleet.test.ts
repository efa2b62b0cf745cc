import { describe, expect, it } from 'vitest'
import { defaultIntervals, fleetOf } from './fleet.js'

const minuteMs = 60_000

describe('a fleet', () => {
  it('of 20 hosts whose clocks are up to 90 s off moves no lease once it is balanced (F-L15)', async () => {
    const { world, unit, computers, ownership, isBalanced } = fleetOf({
      seed: 1,
      hostCount: 20,
      leaseCount: 100,
      skewMs: 90_000,
    })
    for (const computer of computers) unit.start(computer)
    await world.runUntil(() => false, minuteMs)
    const movesToBalance = ownership.moves.length
    expect(isBalanced()).toBe(true)
    await world.runUntil(() => false, 10 * minuteMs)
    expect(world.problems).toEqual([])
    expect(ownership.moves.filter(({ kind }) => kind !== 'free')).toEqual([])
    expect(ownership.moves).toHaveLength(movesToBalance)
  })

  it('with fewer leases than hosts leaves some hosts idle, and moves no lease (R155, F-L21)', async () => {
    const { world, unit, computers, ownership, counts } = fleetOf({ seed: 2, hostCount: 5, leaseCount: 2 })
    for (const computer of computers) unit.start(computer)
    await world.runUntil(() => false, minuteMs)
    const movesToBalance = ownership.moves.length
    expect(counts()).toEqual([0, 0, 0, 1, 1])
    await world.runUntil(() => false, 10 * minuteMs)
    expect(ownership.moves).toHaveLength(movesToBalance)
  })

  it('owns its leases again within one acquire interval after an hour of absence (F-L17)', async () => {
    const { world, unit, computers, ownership, isBalanced } = fleetOf({
      seed: 3,
      hostCount: 1,
      leaseCount: 20,
    })
    const [computer] = computers
    if (computer === undefined) throw new RangeError('the fleet has a host')
    const process = unit.start(computer)
    expect(await world.runUntil(isBalanced, defaultIntervals.acquireMs)).toBe(true)
    process.crash()
    await world.runUntil(() => false, 60 * minuteMs)
    unit.start(computer)
    const isTakenBack = (): boolean =>
      ownership.moves.filter(({ kind }) => kind === 'expired').length === ownership.leases.length
    expect(await world.runUntil(isTakenBack, defaultIntervals.acquireMs)).toBe(true)
    expect(isBalanced()).toBe(true)
  })

  it('of 50 hosts balances 250 leases within three acquire intervals', async () => {
    const { world, unit, computers, isBalanced } = fleetOf({ seed: 4, hostCount: 50, leaseCount: 250 })
    for (const computer of computers) unit.start(computer)
    await world.runUntil(() => false, 3 * defaultIntervals.acquireMs)
    expect(world.problems).toEqual([])
    expect(isBalanced()).toBe(true)
  })
})
