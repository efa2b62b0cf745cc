import { seededRandom } from '../../src/platform/index.js'
import type { PlannedFault } from '../../src/testing/faults.js'
import { Scene, type SceneOptions } from './scene.js'
import type { Computer } from '../../src/testing/simulated-process.js'

export const minuteMs = 60_000

/** Returns a computer whose clocks are right. */
export function host(name: string): Computer {
  return { name, skewMs: 0, driftPpm: 0 }
}

export const [first, second] = [host('host-0'), host('host-1')] as const

/** Returns a scene with two hosts, two partitions and a workload. Only the requested faults happen. */
export function sceneWith(options: Partial<SceneOptions>): Scene {
  const scene = new Scene({
    seed: 1,
    random: seededRandom(1),
    computers: [first, second],
    partitionCount: 2,
    faults: {},
    ...options,
  })
  for (const computer of scene.options.computers) scene.unit.start(computer)
  scene.workload.start()
  return scene
}

/**
 * Resolves with the owner of the first partition's lease as soon as there is one, or with the first host
 * after a minute.
 */
export async function ownerIn(scene: Scene): Promise<Computer> {
  const owner = (): Computer | undefined =>
    scene.options.computers.find(({ name }) => scene.ownership.leases[0]?.owner === name)
  await scene.world.runUntil(() => owner() !== undefined, minuteMs)
  return owner() ?? first
}

/** Returns the same fault at several writes of a kind. */
export function faultsAt(
  writePoint: string,
  occurrences: readonly number[],
  kind: PlannedFault['kind'],
): PlannedFault[] {
  return occurrences.map((occurrence) => ({ writePoint, occurrence, kind }))
}

/** Restarts crashed hosts, as their operator would. */
export function restartCrashed({ unit, options }: Scene): void {
  for (const computer of options.computers) if (unit.processOn(computer) === null) unit.start(computer)
}

/** Stops a host like a deployment, and advances the time until it has stopped. */
export async function stopIn(scene: Scene, computer: Computer): Promise<void> {
  const ended = scene.unit.stop(computer)
  await scene.world.runUntil(() => scene.unit.processOn(computer) === null, minuteMs)
  await ended
}
