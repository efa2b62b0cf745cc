import { describe, expect, it } from 'vitest'
import type { FeedRange, NewLease } from '../../lease-store/index.js'
import type { PlannedFault } from '../../src/testing/faults.js'
import { leases, monitored } from './processor-unit.js'
import type { Scene } from './scene.js'
import { faultsAt, host, minuteMs, restartCrashed, sceneWith, stopIn } from './two-hosts.js'

/** The time of two checks by the watching instance, one more for a race, and a takeover in between. */
const repairMs = 3 * 5 * minuteMs + 3 * minuteMs

/** Creates a lease that should not exist. */
async function addLease(scene: Scene, token: string, added: Partial<NewLease> & { feedRange: FeedRange }) {
  await scene.world.ports
    .leaseStore({ leaseContainer: leases, monitoredContainer: monitored, processorName: 'unit' })
    .create({
      leaseToken: token,
      continuationToken: null,
      firstPosition: { kind: 'beginning' },
      mode: 'Incremental Feed',
      ...added,
    })
}

function boundsIn({ ownership }: Scene): readonly (readonly [string, string])[] {
  return ownership.leases
    .map(({ feedRange }) => [feedRange.min, feedRange.max] as const)
    .sort(([left], [right]) => (left < right ? -1 : 1))
}

function touches(bounds: readonly (readonly [string, string])[]): boolean {
  return bounds.every(([min], index) => min === (bounds[index - 1]?.[1] ?? ''))
}

describe('leases that overlap', () => {
  it.each<[name: string, tokens: string[], planned: PlannedFault[]]>([
    ['of the whole feed, behind those there are', ['-FF'], []],
    ['of parts that cross the others', ['20-60', '10-30', '30-FF'], []],
    ['whose answers are lost when they are replaced', ['-FF', '20-60'], faultsAt('L7', [1], 'answerLost')],
    [
      'where who replaces them crashes before the first is gone',
      ['20-60', '10-30'],
      faultsAt('L7', [1], 'crashBefore'),
    ],
    ['where who replaces them crashes after the first child', ['20-60'], faultsAt('L6', [1], 'crashAfter')],
  ])(
    'become one lease for each part of the feed, and no change is lost (%s; F-L1, F-P3, I10, I11)',
    async (_name, tokens, planned) => {
      const scene = sceneWith({ faults: { planned }, writeIntervalMs: 6_000 })
      await scene.pass(minuteMs)
      for (const token of tokens) {
        const [min = '', max = ''] = token.split('-')
        await addLease(scene, token, { feedRange: { min, max } })
      }
      await scene.pass(repairMs)
      restartCrashed(scene)
      await scene.pass(repairMs)
      const { problems, faults } = await scene.recover()
      expect(problems).toEqual([])
      expect([...faults.values()].reduce((sum, count) => sum + count, 0)).toBe(planned.length)
      expect(touches(boundsIn(scene))).toBe(true)
    },
  )

  it('are also replaced in a deployment unit that is shared with a .NET host', async () => {
    const scene = sceneWith({ partitionCount: 2, computers: [host('host-0')], writeIntervalMs: 6_000 })
    await scene.pass(minuteMs)
    scene.startDotnet(host('dotnet'))
    await addLease(scene, '-FF', { feedRange: { min: '', max: 'FF' } })
    await addLease(scene, '08-28', { feedRange: { min: '08', max: '28' } })
    await scene.pass(2 * repairMs)
    expect(touches(boundsIn(scene))).toBe(true)
    scene.workload.stop()
    await scene.pass(2 * minuteMs)
    expect([scene.deliveries.openCount, scene.world.problems]).toEqual([0, []])
  })

  it('are also replaced when a .NET lease reaches into its neighbour after a merge (0013)', async () => {
    const scene = sceneWith({ partitionCount: 2, computers: [host('host-0')], writeIntervalMs: 6_000 })
    await scene.pass(minuteMs)
    const container = scene.world.container(monitored)
    const [, inner] = container.splitPartition('0')
    await scene.pass(minuteMs)
    for (const computer of scene.options.computers) await stopIn(scene, computer)
    const merged = container.mergePartitions([inner?.id ?? '', '1'])
    const [reaching] = container.splitPartition(merged.id)
    const lease = scene.ownership.leases.find(({ leaseToken }) => leaseToken === inner?.id)
    const { continuationToken = null } = lease ?? {}
    await addLease(scene, reaching?.id ?? '', {
      feedRange: reaching?.range ?? { min: '', max: 'FF' },
      continuationToken,
    })
    const id = String(lease?.document['id'])
    scene.world.container(leases).execute([id], { kind: 'delete', id })
    expect(touches(boundsIn(scene))).toBe(false)
    restartCrashed(scene)
    await scene.pass(2 * repairMs)
    expect(touches(boundsIn(scene))).toBe(true)
    scene.workload.stop()
    await scene.pass(2 * minuteMs)
    expect([scene.deliveries.openCount, scene.world.problems]).toEqual([0, []])
  })
})
