import { seededRandom, type Random } from '../../src/platform/index.js'
import { harsh, type FaultRates } from '../../src/testing/faults.js'
import { roles, stateContainer } from '../../src/testing/job-fleet.js'
import { Chaos, mostWrongMs } from './chaos.js'
import { faultCostMs, JobScene, type Host, type JobReport, type Story } from './job-scene.js'
import { everyScenario } from './scenarios.js'
import { computersOf } from './simulate.js'

/**
 * How long faults last. The time grows with the number of jobs, so that all are processed while faults last.
 */
const [shortestFaultyMs, faultyMsPerJob] = [4 * 60_000, 250] as const
/**
 * Up to this number of jobs, faults at writes (crashes, slow requests) happen at the harsh rates. With more
 * jobs, these rates would affect hosts and pages all the time, and no work would be done until faults end.
 */
const harshlyTreatedJobs = 100
/**
 * Keeps the difference between two hosts within the supervisor's grace. A larger difference costs attempts;
 * chaos sets clocks that far.
 */
const skewMs = 1_000
/**
 * The number of attempts at a step and its undo that a supervisor may find expired, each as late as its clock
 * is wrong.
 */
const lateAttempts = 6
/**
 * The share of the faulty time in which jobs are submitted. Most stories take more than a minute under
 * faults.
 */
const submittingShare = 0.5
/** The share of jobs whose customer runs in one process with roles. */
const insideShare = 0.3
/**
 * The bound includes clocks that stay wrong after they were set, and the slowest request that is still under
 * way.
 */
const recoveryMs = 2 * faultCostMs + lateAttempts * mostWrongMs + 60_000 + 60_000

/** In one of this many seeds, the hosts wake each other. */
const wokenSeeds = 3

/** Makes one run of this many jobs with one seed: first all faults at the same time, then none. */
export async function simulateJobs(seed: number, jobCount: number): Promise<JobReport> {
  const random = seededRandom(seed)
  const hosts = hostsOf(random)
  const faultyMs = Math.max(shortestFaultyMs, jobCount * faultyMsPerJob)
  const scene = new JobScene({
    seed,
    hosts,
    stories: storiesOf(random, { jobCount, faultyMs, hosts }),
    faults: { rates: ratesFor(jobCount) },
    partitionCount: 1 + Math.floor(random.next() * 3),
    areEndsKnown: false,
    areWoken: seed % wokenSeeds === 0,
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
    restartChance: 0.5,
    isStalling: true,
  })
  scene.start()
  chaos.start()
  await world.runUntil(() => false, faultyMs)
  chaos.stop()
  scene.endFaults()
  scene.keepRunning()
  // If clocks differ by more than a step's deadline, perhaps no instance can claim the step. Such a step is
  // flagged, and that does not count as a failure, so only corrected clocks end it.
  return scene.finish(recoveryMs, () => chaos.mendClocks())
}

function ratesFor(jobCount: number): FaultRates {
  const share = Math.min(1, harshlyTreatedJobs / jobCount)
  const { crashBefore, crashAfter, slow } = harsh
  return { ...harsh, crashBefore: crashBefore * share, crashAfter: crashAfter * share, slow: slow * share }
}

/** Returns hosts with all roles and some with a single role, so that no role is missing for good. */
export function hostsOf(random: Random): readonly Host[] {
  return computersOf(random, skewMs).map((untold, index) => {
    // Half of the hosts take their time from the store, so their own clocks may be arbitrarily wrong.
    const isToldTime = random.next() < 0.5
    const toldMs = Math.round((random.next() * 2 - 1) * mostWrongMs)
    const computer = { ...untold, isToldTime, skewMs: isToldTime ? toldMs : untold.skewMs }
    const isMixed = index < 2 || random.next() < 0.5
    const own = roles[Math.floor(random.next() * roles.length)] ?? 'scheduler'
    return { computer, roles: isMixed ? [...roles, 'notifier'] : [own] }
  })
}

interface Told {
  readonly jobCount: number
  readonly faultyMs: number
  readonly hosts: readonly Host[]
}

/** Returns random scenarios at random times. Some of the customers run in a host's process. */
function storiesOf(random: Random, { jobCount, faultyMs, hosts }: Told): readonly Story[] {
  return Array.from({ length: jobCount }, (_, index) => ({
    jobId: `job-${index}`,
    scenario: anyOf(everyScenario, random),
    atMs: random.next() * submittingShare * faultyMs,
    ...(random.next() < insideShare ? { inside: anyOf(hosts, random).computer } : {}),
  }))
}

function anyOf<T>(items: readonly T[], random: Random): T {
  const item = items[Math.floor(random.next() * items.length)]
  if (item === undefined) throw new RangeError('there is nothing to choose from')
  return item
}
