import { continuingSchema, type JobDocument, type Json, type StepDocument } from '../model/documents.js'
import { holdsTicket } from '../model/values/ticket.js'
import { asksForPayload } from './condition.js'
import { whenProblem } from './condition-problem.js'
import type { KnownValues } from './template.js'

/** Returns the fields that mark a document with tickets. Older instances would pass the ticket to a handler. */
export function ticketMark({ schema }: Pick<JobDocument, 'schema'>) {
  return { hasTickets: true, schema: Math.max(schema, continuingSchema) }
}

/** Returns a document with the mark of documents that contain tickets. */
function marked<D extends JobDocument | StepDocument>(document: D): D {
  return { ...document, ...ticketMark(document) }
}

/** Returns the step as it begins, with the mark if its values contain tickets of its job or of other steps. */
export function withTickets(
  step: StepDocument,
  { job, steps }: { readonly job: JobDocument; readonly steps: ReadonlyMap<string, StepDocument> },
): StepDocument {
  if (step.hasTickets === true) return step
  const isPossible =
    job.hasTickets === true || [...steps.values()].some(({ hasTickets }) => hasTickets === true)
  return isPossible && holdsTicket([step.input, step.undo, step.round]) ? marked(step) : step
}

/** The reason why a condition is not evaluated whose values are in the payload store. */
export const conditionOfPayload =
  'the condition asks for a large value, which is in the payload store: return what conditions ask as a ' +
  'small field of its own'

/** Returns the reason why the condition of a step cannot be evaluated, with advice, or null. */
export function unclearCondition(step: StepDocument, known: KnownValues): string | null {
  const problem = whenProblem(step)
  if (problem === null) return asksForPayload(step.when, known) ? conditionOfPayload : null
  return (
    `the condition of the step cannot be evaluated (${problem}); ` +
    'correct "when" in the document of the step'
  )
}

/** Checks whether the end of a repetition depends on a part of this output that is in the payload store. */
export function asksUntil({ round, stepId, direction }: StepDocument, output: Json): boolean {
  if (round === undefined || direction === 'undo') return false
  return asksForPayload(round.until, { input: null, outputs: new Map([[stepId, output]]) })
}
