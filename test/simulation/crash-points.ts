import type { PlannedFault } from '../../src/simulation/faults.js'
import { faultCostMs, JobScene, oneHostPerRole, type JobReport } from './job-scene.js'
import { scenarioNamed } from './scenarios.js'

/** What can befall one write, as in §0 of the failure matrix. */
export const faultKinds = [
  'crashBefore',
  'crashAfter',
  'answerLost',
  'requestLost',
  'rival',
  'refused',
] as const satisfies readonly PlannedFault['kind'][]

/** How long a story without faults takes at most. */
const undisturbedMs = 60_000

/** The write that a fault befalls: the n-th of its kind. */
export type Place = Pick<PlannedFault, 'writePoint' | 'occurrence'>

/** One job of this scenario under these faults, from its submission to its end. */
export async function simulateFaults(
  scenario: string,
  planned: readonly PlannedFault[],
  seen: Place[] = [],
): Promise<JobReport> {
  const scene = new JobScene({
    seed: 1,
    hosts: oneHostPerRole,
    stories: [{ jobId: 'job-1', scenario: scenarioNamed(scenario), atMs: 0 }],
    faults: { planned, seen },
  })
  scene.start()
  scene.keepRunning()
  return scene.finish(undisturbedMs + planned.length * faultCostMs)
}

/** Every write of a scenario in which nothing fails, in order. */
export async function placesIn(scenario: string): Promise<readonly Place[]> {
  const seen: Place[] = []
  const { problems } = await simulateFaults(scenario, [], seen)
  if (problems.length > 0) throw new Error(`scenario ${scenario} without faults: ${problems.join('; ')}`)
  return seen
}

/** The fault as `npm run simulate` takes it: `answerLost@W1#2`. */
export function faultText({ kind, writePoint, occurrence }: PlannedFault): string {
  return `${kind}@${writePoint}#${occurrence}`
}
