import { describe, expect, it } from 'vitest'
import type { Change } from '../../src/change-feed-processor/index.js'
import type { Scene } from './scene.js'
import { faultsAt, minuteMs, restartCrashed, sceneWith } from './two-hosts.js'

/** Selects one document in five, by the number that the workload gives each change of a key. */
function isPoison({ place }: Change<{ place?: number }>): boolean {
  return (place ?? 0) % 5 === 3
}

/** Expects that only poison was set aside, and that at least four changes were. */
function expectOnlyPoisonAside({ deliveries }: Scene): void {
  expect(deliveries.setAside.length).toBeGreaterThan(3)
  expect(deliveries.setAside.filter((change) => !isPoison(change))).toEqual([])
}

describe('a document that no delegate can handle (R144)', () => {
  it.each([
    ['F-C13 makes it throw', 'throws'],
    ['F-C14 makes it hang', 'hangs'],
  ] as const)('is set aside, and every other document is handled in order: %s', async (_name, kind) => {
    const scene = sceneWith({
      poison: { is: isPoison, kind },
      maxAttempts: 2,
      settings: { delegateTimeout: 5_000, maxItemCount: 8 },
      writeIntervalMs: 5_000,
    })
    await scene.pass(3 * minuteMs)
    expect((await scene.recover()).problems).toEqual([])
    expectOnlyPoisonAside(scene)
  })

  it('is not passed by a checkpoint while it cannot be set aside (F-C15)', async () => {
    let isDown = false
    const scene = sceneWith({
      poison: { is: isPoison, kind: 'throws' },
      maxAttempts: 2,
      writeIntervalMs: 1_000,
      deadLetter: () => (isDown ? Promise.reject(new Error('throttled')) : Promise.resolve()),
    })
    await scene.pass(minuteMs)
    isDown = true
    const { length } = scene.deliveries.setAside
    await scene.pass(3 * minuteMs)
    expect(scene.deliveries.setAside).toHaveLength(length)
    expect(scene.deliveries.openCount).toBeGreaterThan(20)
    isDown = false
    expect((await scene.recover()).problems).toEqual([])
    expectOnlyPoisonAside(scene)
  })

  it('is set aside again after a crash before the checkpoint (F-C16)', async () => {
    const scene = sceneWith({
      poison: { is: isPoison, kind: 'throws' },
      maxAttempts: 1,
      writeIntervalMs: 200,
      faults: { planned: faultsAt('L4', [2, 4, 6], 'crashBefore') },
    })
    for (let restarts = 0; restarts < 4; restarts += 1) {
      await scene.pass(minuteMs)
      restartCrashed(scene)
    }
    expect((await scene.recover()).problems).toEqual([])
    expectOnlyPoisonAside(scene)
    const versions = scene.deliveries.setAside.map(({ id, _etag }) => `${id} ${_etag}`)
    expect(new Set(versions).size).toBeLessThan(versions.length)
  })
})
