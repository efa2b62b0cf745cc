import { isDeepStrictEqual } from 'node:util'
import { mayHaveActed } from './claim.js'
import type { Json, StepDocument } from './documents.js'
import type { Owed } from './step-parts.js'
import { resolveTemplate } from './template.js'

/**
 * The generations of a step that are to be undone, the newest last: earlier ones that are left, and its own if that
 * succeeded, or may have acted and asks for it. What a success returned is in the input that was recorded for its undo.
 */
export function owedBy(step: StepDocument): Owed[] {
  const { undo, generation } = step
  if (undo === null || step.direction === 'undo') return step.owed
  const isDone = step.processState === 'Processed'
  if (!isDone && !(undo.whenUncertain && mayHaveActed(step))) return step.owed
  const input = isDone ? undo.input : resolveTemplate(undo.inputTemplate, { input: null, outputs: new Map() })
  return [...step.owed, { generation, input }]
}

/**
 * The step that begins, once more or for the first time, with what is known of calls under its keys (I9). What was
 * undone gets a new key; otherwise the key stays, and a service that knows it does not act twice.
 */
export function beginning(step: StepDocument): StepDocument {
  if (step.direction === 'undo') {
    return { ...step, direction: 'do', generation: step.generation + 1, mayHaveActed: false, owed: [] }
  }
  return { ...step, mayHaveActed: step.dispatch > 0 && mayHaveActed(step) }
}

/**
 * A beginning step with this input. One that was called with another input gets a new key, and what may have happened
 * under the old one is owed an undo.
 */
export function withInput(before: StepDocument, input: Json): StepDocument {
  const step = beginning(before)
  const isSame = before.dispatch === 0 || before.direction === 'undo' || isDeepStrictEqual(step.input, input)
  if (isSame) return { ...step, input }
  return { ...step, generation: step.generation + 1, mayHaveActed: false, owed: owedBy(before), input }
}
