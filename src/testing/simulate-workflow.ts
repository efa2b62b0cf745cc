import { seededRandom } from '../platform/index.js'
import type { ProcessState } from '../sas/index.js'
import { faultFrom, faultKinds, faultText, type Place } from './fault-place.js'
import type { PlannedFault } from './faults.js'
import { tellStory, type WorkflowUnderTest } from './workflow-story.js'

/** A workflow of yours, and how thoroughly it is to be tried. */
export interface WorkflowSimulationOptions<I> extends WorkflowUnderTest<I> {
  /** Stories with two faults besides those with one, chosen by chance. Default 0. */
  readonly pairs?: number
  /** Chooses the pairs. Default 1. */
  readonly seed?: number
  /** Only the story with these faults: what `problems` of an earlier simulation names. */
  readonly only?: readonly string[]
}

/** What is wrong after one story, and how to have exactly that story again. */
export interface WorkflowProblem {
  /** To be given as `only`. Empty when it needs no fault to go wrong. */
  readonly faults: readonly string[]
  readonly problem: string
}

/** What a simulation came to. */
export interface WorkflowSimulation {
  readonly stories: number
  /** How many stories ended so. */
  readonly ends: Readonly<Partial<Record<ProcessState, number>>>
  /** Empty when everything held in every story. */
  readonly problems: readonly WorkflowProblem[]
}

/**
 * Tries your workflow with your agents in every story there is with one fault: each write of submitter, scheduler,
 * agents and supervisor is preceded or followed by a crash, lost on its way, answered into the void, refused, or
 * overtaken by somebody else's. Time is simulated, so a few hundred stories take seconds; the same options always tell the same ones.
 *
 * Every job must come to an end, and your `check` finds nothing wrong then. Handlers must take time from the clock that
 * `setup` is given, and nothing from the network; a step that waits for an event is given what `events` says.
 *
 * @throws RangeError when `only` names no fault, or an event is for a step that waits for none
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

/** What was written after this fault had struck. */
function after(fault: PlannedFault, places: readonly Place[]): readonly Place[] {
  const struckAt = places.findIndex(
    ({ writePoint, occurrence }) => writePoint === fault.writePoint && occurrence === fault.occurrence,
  )
  return places.slice(struckAt + 1)
}

/** Every fault at these writes. Leases are written for ever, whatever the workflow is: they are left alone. */
function faultsAt(places: readonly Place[]): readonly PlannedFault[] {
  return places
    .filter(({ writePoint }) => writePoint.startsWith('W'))
    .flatMap((place) => faultKinds.map((kind) => ({ ...place, kind })))
}
