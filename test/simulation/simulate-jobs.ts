import { seededRandom, type Random } from '../../src/platform/index.js'
import { harsh } from '../../src/simulation/faults.js'
import { roles, stateContainer } from '../../src/simulation/job-fleet.js'
import { Chaos } from './chaos.js'
import { faultCostMs, JobScene, type Host, type JobReport, type Story } from './job-scene.js'
import { scenarios } from './scenarios.js'
import { computersOf } from './simulate.js'

const faultyMs = 3 * 60_000
/** No more than the supervisor's grace between two hosts; what is more costs attempts, and chaos sets clocks so. */
const skewMs = 1_000
/** Clocks that were set stay wrong, and the slowest request is still under way. */
const recoveryMs = 2 * faultCostMs + 90_000 + 60_000 + 60_000

/** One run of so many jobs by one seed: everything that can go wrong does, at once, and then nothing. */
export async function simulateJobs(seed: number, jobCount: number): Promise<JobReport> {
  const random = seededRandom(seed)
  const hosts = hostsOf(random)
  const scene = new JobScene({
    seed,
    hosts,
    stories: storiesOf(random, jobCount),
    faults: { rates: harsh },
    partitionCount: 1 + Math.floor(random.next() * 3),
    areEndsKnown: false,
  })
  const computers = hosts.map(({ computer }) => computer)
  const { world, fleet } = scene
  const chaos = new Chaos({
    world,
    unit: fleet,
    container: stateContainer,
    computers,
    intervalMs: 12_000,
    mostPartitions: 6,
  })
  scene.start()
  chaos.start()
  await world.runUntil(() => false, faultyMs)
  chaos.stop()
  scene.faults.stop()
  scene.keepRunning()
  return scene.finish(recoveryMs)
}

/** Hosts with all roles, and some with one alone, so that nobody is missing for good. */
function hostsOf(random: Random): readonly Host[] {
  const computers = computersOf(random, skewMs)
  return computers.map((computer, index) => {
    const isMixed = index < 2 || random.next() < 0.5
    const own = roles[Math.floor(random.next() * roles.length)] ?? 'scheduler'
    return { computer, roles: isMixed ? [...roles, 'notifier'] : [own] }
  })
}

function storiesOf(random: Random, jobCount: number): readonly Story[] {
  return Array.from({ length: jobCount }, (_, index) => ({
    jobId: `job-${index}`,
    scenario: anyOf(scenarios, random),
    atMs: random.next() * faultyMs,
  }))
}

function anyOf<T>(items: readonly T[], random: Random): T {
  const item = items[Math.floor(random.next() * items.length)]
  if (item === undefined) throw new RangeError('there is nothing to choose from')
  return item
}
