import { seededRandom, type Random } from '../../src/platform/index.js'
import { harsh, type FaultRates } from '../../src/testing/faults.js'
import { roles, stateContainer } from '../../src/testing/job-fleet.js'
import { Chaos, mostWrongMs } from './chaos.js'
import { faultCostMs, JobScene, type Host, type JobReport, type Story } from './job-scene.js'
import { everyScenario } from './scenarios.js'
import { computersOf } from './simulate.js'

/** How long faults last: longer for many jobs, so that they are worked on while faults last, not kept for afterwards. */
const [shortestFaultyMs, faultyMsPerJob] = [4 * 60_000, 250] as const
/**
 * Up to so many jobs a write may crash its process, or be slow, at the harsh rates. With more of them these would befall
 * hosts and pages all the time, and nothing would be done until faults end.
 */
const harshlyTreatedJobs = 100
/** No more than the supervisor's grace between two hosts; what is more costs attempts, and chaos sets clocks so. */
const skewMs = 1_000
/** Attempts at a step and at its undo that a supervisor may find to be over, each as late as its clock is wrong. */
const lateAttempts = 6
/** The share of the faulty time in which jobs are submitted: most stories take more than a minute under faults. */
const submittingShare = 0.5
/** Of all jobs, those whose customer runs in one process with roles. */
const insideShare = 0.3
/** Clocks that were set stay wrong, and the slowest request is still under way. */
const recoveryMs = 2 * faultCostMs + lateAttempts * mostWrongMs + 60_000 + 60_000

/** One run of so many jobs by one seed: everything that can go wrong does, at once, and then nothing. */
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
  // With clocks that differ by more than a step's deadline nobody may get to claim it: that is flagged, and counts as no
  // failure, so only mended clocks end it.
  return scene.finish(recoveryMs, () => chaos.mendClocks())
}

function ratesFor(jobCount: number): FaultRates {
  const share = Math.min(1, harshlyTreatedJobs / jobCount)
  const { crashBefore, crashAfter, slow } = harsh
  return { ...harsh, crashBefore: crashBefore * share, crashAfter: crashAfter * share, slow: slow * share }
}

/** Hosts with all roles, and some with one alone, so that nobody is missing for good. */
function hostsOf(random: Random): readonly Host[] {
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

/** Any scenario at any time; some of the customers are part of a host's process. */
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
