import { copyWith, copyWithout } from '../model/copies/copy-with.js'
import { isDeepStrictEqual } from 'node:util'
import { mayHaveActed } from './claim.js'
import type { Json, StepDocument } from '../model/documents.js'
import type { Owed } from '../model/step-parts.js'
import { resolveTemplate } from '../plan/template.js'

/**
 * Returns the generations of a step that must be undone, the newest last: the earlier generations in `owed`,
 * and perhaps the current generation. The current generation is included if it succeeded, or if it may have
 * acted and the undo has `whenUncertain`. After a success, the recorded input of the undo contains the output
 * of the step.
 */
export function owedBy(step: StepDocument): Owed[] {
  const { undo, generation, stepId, round } = step
  if (undo === null || step.direction === 'undo') return step.owed
  if (step.processState === 'Processed') return [...step.owed, { generation, input: undo.input }]
  // An earlier round of a repeated step is done, even if the present round is not.
  const last = round !== undefined && round.number > 1 ? round.previous : undefined
  if (last === undefined && !(undo.whenUncertain && mayHaveActed(step))) return step.owed
  const outputs = new Map(last === undefined ? [] : [[stepId, last] as const])
  return [...step.owed, { generation, input: resolveTemplate(undo.inputTemplate, { input: null, outputs }) }]
}

const keyOfOtherJob = new Set(['keyJobId'])

/**
 * Returns a copy of the step with these changes as it begins, for the first time or again. Its fields record whether calls
 * with its keys may have acted (I9). A step that was undone gets a new key. Any other step keeps its key, so a
 * service that recognises the key does not act twice. A step that was carried over and undone has keys of its own
 * job (I34).
 */
export function beginning(step: StepDocument, changes: Partial<StepDocument> = {}): StepDocument {
  if (step.direction === 'undo') {
    const own = copyWithout(step, keyOfOtherJob)
    const generation = step.generation + 1
    return Object.assign(own, changes, { direction: 'do', generation, mayHaveActed: false, owed: [] })
  }
  return copyWith(step, changes, { mayHaveActed: step.dispatch > 0 && mayHaveActed(step) })
}

/**
 * Returns a copy of the step as it begins with this input. A step that was dispatched before with another input gets a
 * new key. If its old generation must be undone, that generation is added to `owed`.
 */
export function withInput(step: StepDocument, input: Json): StepDocument {
  const isSame = step.dispatch === 0 || step.direction === 'undo' || isDeepStrictEqual(step.input, input)
  if (isSame) return beginning(step, { input })
  return copyWith(step, {
    generation: step.generation + 1,
    mayHaveActed: false,
    owed: owedBy(step),
    input,
  })
}
