import { describe, expect, it } from 'vitest'
import { compare } from './convergence.js'
import { dotnetTakes } from './dotnet-rule.js'

describe('a fleet in which one host owns every lease', () => {
  it.each([
    [100, 2],
    [100, 10],
    [100, 50],
  ])(
    'balances %i leases over %i hosts within three acquire intervals (F-L20)',
    async (leaseCount, hostCount) => {
      const { ours, dotnet, oursFromNothing } = await compare(hostCount, leaseCount)
      expect(ours.cycles).toBeLessThanOrEqual(3)
      expect(ours.cycles).toBeLessThan(dotnet.cycles)
      // Hosts that act at the same time choose some leases twice. The simulated .NET rule avoids that.
      expect(ours.moves).toBeLessThanOrEqual(1.25 * dotnet.moves)
      expect(oursFromNothing.cycles).toBeLessThanOrEqual(3)
    },
  )
})

describe('the simulated .NET rule', () => {
  it.each<[situation: string, owned: Record<string, number>, free: number, taken: number]>([
    ['nothing is there', {}, 0, 0],
    ['only its own', { self: 3 }, 0, 0],
    ['two free', {}, 2, 2],
    ['another has two', { other: 2 }, 0, 1],
    ['another has three, and one is free', { other: 3 }, 1, 1],
    ['another has one, and ten are free', { other: 1 }, 10, 6],
    ['five and ten', { one: 5, other: 10 }, 0, 1],
    ['five, and six of its own', { other: 5, self: 6 }, 0, 0],
    ['five, and five of its own', { other: 5, self: 5 }, 0, 0],
    ['four, and three of its own', { other: 4, self: 3 }, 0, 0],
    ['four, and two of its own', { other: 4, self: 2 }, 0, 1],
    ['ten and ten, and eight of its own', { one: 10, other: 10, self: 8 }, 0, 1],
  ])('takes as many leases as the tests of .NET expect (%s: %j)', (_situation, owned, free, taken) => {
    const owners = Object.entries(owned).flatMap(([owner, count]) => Array<string>(count).fill(owner))
    expect(dotnetTakes([...owners, ...Array<null>(free).fill(null)], 'self')).toHaveLength(taken)
  })
})
