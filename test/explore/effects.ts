import type { JobDocument, StepDocument } from '../../src/sas/model/documents.js'
import { isTerminal } from '../../src/sas/model/process-state.js'
import { effect, effectOf, keyOf, known, knownOf, mostGenerations, type Remote } from './remote.js'
import type { StepWrite } from './writing.js'

/** The documents of a job, and the effects that remote services had for it. */
export interface Truth {
  readonly job: JobDocument
  readonly steps: readonly StepDocument[]
  /** The remote state of each step, in the same order. */
  readonly remotes: readonly Remote[]
  /** The inputs that the steps were submitted with. */
  readonly templates: readonly string[]
}

const generations = Array.from({ length: mostGenerations }, (_none, index) => index + 1)

/** Returns a claim of an ended job that remote services do not confirm, or null if there is none. */
export function judgeEffects(truth: Truth): string | null {
  const { job, steps, remotes, templates } = truth
  if (!isTerminal(job)) return null
  for (const [place, step] of steps.entries()) {
    const remote = remotes[place] ?? 0
    const problem =
      job.compensation === null
        ? unlessDoneOnce(truth, step, remote, JSON.stringify(step.inputTemplate) !== templates[place])
        : unlessUndone(job, step, remote)
    if (problem !== null) return problem
  }
  return null
}

/** I21 over all generations: a step that the job calls done had its effect once. */
function unlessDoneOnce(
  { job }: Truth,
  step: StepDocument,
  remote: Remote,
  isEdited: boolean,
): string | null {
  if (job.processState !== 'Processed' || step.kind !== 'operation') return null
  const { stepId } = step
  const acted = generations.filter((generation) => effectOf(remote, generation) === effect.acted)
  if (job.steps[stepId]?.state === 'Processed' && !acted.includes(keyOf(step).generation)) {
    return `${stepId} is done, and its effect is not there`
  }
  // Another input is another request. The earlier effect stays, unless the job is compensated (C21).
  if (acted.length < 2 || isEdited) return null
  return `I21: ${stepId} took effect under ${acted.length} keys: ${acted.map((generation) => `g${generation}`).join(', ')}`
}

/** R1: after a compensation, no effect is left that its policy requires to be undone. */
function unlessUndone(
  { processState, steps, attention }: JobDocument,
  step: StepDocument,
  remote: Remote,
): string | null {
  const { stepId, undo } = step
  // An undo that failed for good prevents the undo of the steps it depended on (R111).
  const isStuck = processState === 'Error' && attention?.kind === 'compensationFailed'
  if (undo === null || isStuck || processState === 'Processed') return null
  const left = generations.find(
    (generation) =>
      effectOf(remote, generation) === effect.acted &&
      (undo.whenUncertain || knownOf(remote, generation) === known.succeeded),
  )
  if (left === undefined) return null
  return `R1: the job went back (${stepId}: ${steps[stepId]?.state ?? ''}), and its effect under g${left} is left`
}

/** I6: an undo starts only for a generation that may have acted, according to the documents. */
export function judgeUndo({ undoes }: StepWrite, remote: Remote): string | null {
  const word = undoes === 0 ? known.mayHaveActed : knownOf(remote, undoes)
  if (word === known.neverOpen) return `I6: the undo of g${undoes} begins, which was never begun`
  return word === known.refused
    ? `I6: the undo of g${undoes} begins, which was refused at its only call`
    : null
}

/** A key is not used again after its undo, because the service would refuse it. */
export function judgeOpening({ opens }: StepWrite, remote: Remote): string | null {
  const isClosed = opens > 0 && effectOf(remote, opens) === effect.closed
  return isClosed ? `A key (g${opens}) is used again after its undo` : null
}
