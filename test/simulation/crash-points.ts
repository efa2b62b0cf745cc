import { faultText, type Place } from '../../src/testing/fault-place.js'
import type { PlannedFault } from '../../src/testing/faults.js'
import {
  faultCostMs,
  JobScene,
  oneHostPerRole,
  twoHosts,
  withNotifier,
  type Host,
  type JobReport,
} from './job-scene.js'
import type { Scenario } from './scenario.js'
import { scenarioNamed } from './scenarios.js'

/** The longest duration of a story without faults: the wait for a deadline, and a poll before each write. */
const undisturbedMs = 180_000

/** The time after which the hosts have their leases. */
const settledMs = 10_000

/** Simulates one job of this scenario under these faults, from its submission to its end. */
export async function simulateFaults(
  scenario: string,
  planned: readonly PlannedFault[],
  seen: Place[] = [],
): Promise<JobReport> {
  const told = scenarioNamed(scenario)
  const hosts = hostsOf(told)
  // An instance that has held its lease for a while knows that it is the first to make an attempt.
  const isSettled = told.isInside === true || told.isEndOpen === true
  const inside = told.isInside === true && hosts[0] !== undefined ? { inside: hosts[0].computer } : {}
  const scene = new JobScene({
    seed: 1,
    hosts,
    stories: [{ jobId: 'job-1', scenario: told, atMs: isSettled ? settledMs : 0, ...inside }],
    faults: { planned, seen },
    areEndsKnown: planned.length === 0 || told.isEndOpen !== true,
  })
  scene.start()
  scene.keepRunning()
  return scene.finish(undisturbedMs + planned.length * faultCostMs)
}

function hostsOf({ isTogether = false, isInside = false, isNotified = false }: Scenario): readonly Host[] {
  // A single host holds every lease, so the customer is in the process that begins the job.
  if (isInside) return twoHosts.slice(0, 1)
  if (isTogether) return twoHosts
  return isNotified ? withNotifier : oneHostPerRole
}

const knownPlaces = new Map<string, Promise<readonly Place[]>>()

/** Returns every write of a scenario without faults, in order. They are the same at each call. */
export function placesIn(scenario: string): Promise<readonly Place[]> {
  const known = knownPlaces.get(scenario) ?? findPlaces(scenario)
  knownPlaces.set(scenario, known)
  return known
}

async function findPlaces(scenario: string): Promise<readonly Place[]> {
  const seen: Place[] = []
  const { problems } = await simulateFaults(scenario, [], seen)
  if (problems.length > 0) throw new Error(`scenario ${scenario} without faults: ${problems.join('; ')}`)
  return seen
}

/**
 * Returns the problems of a job of this scenario under these faults, with the command that reproduces them.
 */
export async function brokenBy(
  scenario: string,
  planned: readonly PlannedFault[],
): Promise<readonly string[]> {
  const { problems, faults } = await simulateFaults(scenario, planned)
  const struck = [...faults.values()].reduce((sum, count) => sum + count, 0)
  const missed = struck < planned.length ? [`only ${struck} of ${planned.length} faults happened`] : []
  const broken = [...problems, ...missed]
  return broken.length === 0 ? [] : [`npm run simulate -- ${argumentsFor(scenario, planned)}`, ...broken]
}

/** Returns the command-line arguments that repeat these faults. */
export function argumentsFor(scenario: string, planned: readonly PlannedFault[]): string {
  return `--scenario ${scenario} ${planned.map((fault) => `--fault ${faultText(fault)}`).join(' ')}`
}
