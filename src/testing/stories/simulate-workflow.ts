import { seededRandom } from '../../platform/index.js'
import { callback, kind, optional, readOptions, wholeNumber } from '../../platform/options.js'
import type { ProcessState } from '../../sas/index.js'
import { isWorkflow } from '../../sas/internal.js'
import { faultFrom, faultKinds, faultText, type Place } from '../fault-place.js'
import type { PlannedFault } from '../faults.js'
import { tellStory, type WorkflowUnderTest } from './workflow-story.js'

/** Your workflow, and options that decide how thoroughly it is tested. */
export interface WorkflowSimulationOptions<I> extends WorkflowUnderTest<I> {
  /** The number of stories with two random faults, in addition to all stories with one fault. Default 0. */
  readonly pairs?: number
  /** The seed for the random choice of the pairs of faults. Default 1. */
  readonly seed?: number
  /** The faults of the only story to run, from `problems` of an earlier run. Default: all stories run. */
  readonly only?: readonly string[]
}

/** A problem of one story, with the faults that are needed to repeat exactly this story. */
export interface WorkflowProblem {
  /** The faults of the story, as a value for `only`. Empty if the story had no fault. */
  readonly faults: readonly string[]
  readonly problem: string
}

/** The result of a simulation. */
export interface WorkflowSimulation {
  readonly stories: number
  /** The number of stories whose job ended in each state. */
  readonly ends: Readonly<Partial<Record<ProcessState, number>>>
  /** Empty if no story had a problem. */
  readonly problems: readonly WorkflowProblem[]
}

const list = optional(kind<readonly unknown[]>('a list', Array.isArray))

const shape = {
  workflow: kind<unknown>('a workflow', isWorkflow),
  input: kind('anything', () => true),
  setup: callback('a function that returns the agents and the check'),
  events: list,
  answers: list,
  pairs: optional(wholeNumber(0)),
  seed: optional(kind<number>('a number', Number.isFinite)),
  only: list,
}

/**
 * Runs your workflow with your agents in every possible story with one fault. For each write of the
 * submitter, the scheduler, the agents and the supervisor, there are six stories. Their faults are a crash
 * before the write, a crash after the write, a lost request, a lost answer, a refusal, and another write just
 * before this write. Time is simulated, so a few hundred stories take seconds. The same options always give
 * the same stories.
 *
 * In every story, the job must end, and your `check` must then find no problem. Handlers must use the clock
 * passed to `setup`, and must not use the network. A step that waits for an event gets it from `events`,
 * and a question is answered by `answers`.
 *
 * @throws RangeError if an option is invalid, if `only` contains a text that is not a fault, if `events` names a step that does not wait
 * for an event, or if `answers` names a step that asks no question
 */
export async function simulateWorkflow<I>(
  options: WorkflowSimulationOptions<I>,
): Promise<WorkflowSimulation> {
  const { problems: invalid } = readOptions(shape, options)
  if (invalid.length > 0) throw new RangeError(`simulateWorkflow: ${invalid.join('; ')}`)
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
 * Returns every fault of these writes. Writes of leases are left out, because they do not depend on the
 * workflow and never end.
 */
function faultsAt(places: readonly Place[]): readonly PlannedFault[] {
  return places
    .filter(({ writePoint }) => writePoint.startsWith('W'))
    .flatMap((place) => faultKinds.map((kind) => ({ ...place, kind })))
}
