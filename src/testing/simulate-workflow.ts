import { seededRandom } from '../platform/index.js'
import type { ProcessState } from '../sas/index.js'
import { faultFrom, faultKinds, faultText, type Place } from './fault-place.js'
import type { PlannedFault } from './faults.js'
import { tellStory, type WorkflowUnderTest } from './workflow-story.js'

/** A workflow of yours, and how thoroughly to test it. */
export interface WorkflowSimulationOptions<I> extends WorkflowUnderTest<I> {
  /** How many stories with two faults to run besides those with one. They are chosen at random. Default 0. */
  readonly pairs?: number
  /** The seed of that choice. Default 1. */
  readonly seed?: number
  /** Runs only the story with these faults, as named in `problems` of an earlier simulation. */
  readonly only?: readonly string[]
}

/** A problem after one story, and how to repeat exactly that story. */
export interface WorkflowProblem {
  /** The value for `only`. Empty if the problem needs no fault. */
  readonly faults: readonly string[]
  readonly problem: string
}

/** The result of a simulation. */
export interface WorkflowSimulation {
  readonly stories: number
  /** How many stories ended in each state. */
  readonly ends: Readonly<Partial<Record<ProcessState, number>>>
  /** Empty if no story had a problem. */
  readonly problems: readonly WorkflowProblem[]
}

/**
 * Runs your workflow with your agents in every possible story with one fault. For each write of submitter,
 * scheduler, agents and supervisor there are six stories: a crash before it, a crash after it, a lost
 * request, a lost answer, a refusal, and another write just before it. Time is simulated, so a few hundred
 * stories take seconds. The same options always give the same stories.
 *
 * Every job must end, and your `check` must then find no problem. Handlers must use the clock passed to
 * `setup`, and must not use the network. A step that waits for an event gets it from `events`.
 *
 * @throws RangeError if `only` names no fault, or an event is for a step that waits for none
 */
export async function simulateWorkflow<I>(
  options: WorkflowSimulationOptions<I>,
): Promise<WorkflowSimulation> {
  const ends: Partial<Record<ProcessState, number>> = {}
  const problems: WorkflowProblem[] = []
  let stories = 0
  const tell = async (planned: readonly PlannedFault[]): Promise<readonly Place[]> => {
    const told = await tellStory(options, planned)
    stories += 1
    if (told.end !== null) ends[told.end] = (ends[told.end] ?? 0) + 1
    const faults = planned.map(faultText)
    problems.push(...told.problems.map((problem) => ({ faults, problem })))
    return told.places
  }
  if (options.only === undefined) await tellAll(options, tell)
  else await tell(options.only.map(faultFrom))
  return { stories, ends, problems }
}

type Tell = (planned: readonly PlannedFault[]) => Promise<readonly Place[]>

async function tellAll(
  { pairs = 0, seed = 1 }: Pick<WorkflowSimulationOptions<never>, 'pairs' | 'seed'>,
  tell: Tell,
): Promise<void> {
  const singles = faultsAt(await tell([]))
  const following: (readonly [PlannedFault, readonly PlannedFault[]])[] = []
  for (const fault of singles) following.push([fault, faultsAt(after(fault, await tell([fault])))])
  const random = seededRandom(seed)
  const chosen = (count: number): number => Math.floor(random.next() * count)
  for (let told = 0; told < pairs; told += 1) {
    const [first, seconds] = following[chosen(following.length)] ?? []
    const second = seconds?.[chosen(seconds.length)]
    if (first !== undefined && second !== undefined) await tell([first, second])
  }
}

/** Returns the writes after this fault. */
function after(fault: PlannedFault, places: readonly Place[]): readonly Place[] {
  const struckAt = places.findIndex(
    ({ writePoint, occurrence }) => writePoint === fault.writePoint && occurrence === fault.occurrence,
  )
  return places.slice(struckAt + 1)
}

/**
 * Returns every fault at these writes, except writes of leases, which do not depend on the workflow and never
 * end.
 */
function faultsAt(places: readonly Place[]): readonly PlannedFault[] {
  return places
    .filter(({ writePoint }) => writePoint.startsWith('W'))
    .flatMap((place) => faultKinds.map((kind) => ({ ...place, kind })))
}
