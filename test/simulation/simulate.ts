import { seededRandom, type Random } from '../../src/platform/index.js'
import { Chaos } from './chaos.js'
import { harsh } from '../../src/testing/faults.js'
import { monitored } from './processor-unit.js'
import { Scene, type Report } from './scene.js'
import type { Computer } from '../../src/testing/simulated-process.js'

const faultyMs = 8 * 60_000

/** Makes one run of the processor with one seed: first all faults at the same time, then none. */
export async function simulateProcessor(seed: number): Promise<Report> {
  const random = seededRandom(seed)
  const scene = new Scene({
    seed,
    random,
    computers: computersOf(random),
    partitionCount: 1 + Math.floor(random.next() * 4),
    settings: { maxItemCount: 5 },
    faults: { rates: harsh },
    delegateFailures: 0.1,
  })
  const { world, unit, workload } = scene
  const { computers } = scene.options
  const chaos = new Chaos({
    world,
    unit,
    container: monitored,
    computers,
    intervalMs: 12_000,
    mostPartitions: 8,
    isStalling: true,
  })
  for (const computer of computers) unit.start(computer)
  workload.start()
  chaos.start()
  await scene.pass(faultyMs)
  chaos.stop()
  return scene.recover()
}

/**
 * Returns two to six computers. Their clocks are wrong by up to `skewMs` and fast or slow by up to a
 * thousandth. The processes of every second computer notice the end of other processes there.
 */
export function computersOf(random: Random, skewMs = 90_000): readonly Computer[] {
  const count = 2 + Math.floor(random.next() * 5)
  return Array.from({ length: count }, (_, index) => ({
    name: `host-${index}`,
    skewMs: Math.round((random.next() * 2 - 1) * skewMs),
    driftPpm: Math.round((random.next() - 0.5) * 2_000),
    seesProcesses: index % 2 === 0,
  }))
}
