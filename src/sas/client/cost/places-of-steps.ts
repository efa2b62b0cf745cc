import { mostStepsLeft } from '../../model/planned/done-step.js'
import type { CostQuestion } from './question.js'

/** The size of the plan of one step in the job. */
export const plannedKilobytes = 0.3
/** The largest size of all plans in a job. */
const mostPlannedKilobytes = 8

/** Checks whether the submission begins the job: one scheduler that owns the whole container writes both together. */
export function beginsAtOnce({
  isTogether,
  partitions,
  instances,
  isLimitedFirst = false,
}: CostQuestion): boolean {
  return isTogether && partitions === 1 && instances === 1 && !isLimitedFirst
}

/** Where the steps of a job are until they have outcomes. */
interface PlacesOfSteps {
  /** The steps that have no document at first. 0 if the plans do not fit into the job. */
  readonly plans: number
  /** The steps whose first attempts begin in the job. */
  readonly inJob: number
  /** Those of them that never have a document. The outcomes of the others create their documents. */
  readonly done: number
  /** Whether one of them begins with the submission. */
  readonly isFirstInJob: boolean
  /** The steps that have documents before their dispatch, which is one write more. */
  readonly laterDispatches: number
}

/** Returns where the steps of a job are, by the counts of the question. */
export function placesOfSteps(question: CostQuestion): PlacesOfSteps {
  const { steps, storedSteps, claimedSteps, documentedSteps = claimedSteps } = question
  const { isTogether, isItem = false, isClientApart = false } = question
  const isBegun = beginsAtOnce(question)
  // Lists mostly have more items at work than there are free slots, and a step that waits for a slot needs a document.
  const plain = isTogether && !isItem ? Math.max(0, steps - (storedSteps ?? 0) - documentedSteps) : 0
  const isFirstInJob = isBegun && !isClientApart && plain > 0
  const atFirst = isBegun && !isFirstInJob ? 1 : 0
  const unbegun = Math.max(0, steps - (storedSteps ?? 0) - atFirst)
  const isLarge = storedSteps === undefined && unbegun * plannedKilobytes > mostPlannedKilobytes
  if (isLarge)
    return { plans: 0, inJob: 0, done: 0, isFirstInJob: false, laterDispatches: steps - (isBegun ? 1 : 0) }
  const inJob = Math.min(plain, unbegun)
  const done = Math.min(inJob, mostStepsLeft + 1)
  return {
    plans: unbegun,
    inJob,
    done,
    isFirstInJob,
    laterDispatches: Math.max(0, steps - unbegun - atFirst),
  }
}
