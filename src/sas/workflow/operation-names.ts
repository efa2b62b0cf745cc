import { shown } from '../../platform/options.js'
import { limitsOfCall, type OperationLimits } from '../agents/operation-limits.js'
import type { OperationCall } from '../agents/agent.js'
import { NotPlainDataError, toTemplate } from '../model/values/to-template.js'
import type { PlanDraft } from './plan-draft.js'

/**
 * Returns the call of an operation by a step.
 *
 * @throws NotPlainDataError if the value is not an operation, or its input is not JSON
 */
export function callBy(
  draft: PlanDraft,
  { id, operation, input }: { readonly id: unknown; readonly operation: unknown; readonly input: unknown },
): OperationCall<unknown> {
  const names = namesOf(draft, id, operation)
  const limits = limitsOfCall((operation as { limits?: OperationLimits<unknown> }).limits, input)
  return { ...names, input: toTemplate(input, 'input'), ...(limits && { limits }) }
}

/**
 * Returns the names of an operation's actor and action. A caller in JavaScript may pass anything, and a
 * misspelt operation is undefined.
 *
 * @throws NotPlainDataError if the value is neither an operation nor the call of one
 */
function namesOf(
  draft: PlanDraft,
  id: unknown,
  operation: unknown,
): { readonly actor: string; readonly action: string } {
  const step = `job.step('${typeof id === 'string' ? id : 'pay'}'`
  const isThere = (typeof operation === 'object' && operation !== null) || typeof operation === 'function'
  const { actor, action } = (isThere ? operation : {}) as Readonly<Record<string, unknown>>
  if (typeof actor !== 'string' || typeof action !== 'string') {
    const advice = `pass an operation of an agent, as in ${step}, agent.operation, { … })`
    throw new NotPlainDataError('its operation', shown(operation), advice)
  }
  if (typeof operation === 'object' && isThere && 'input' in operation) {
    const name = `${actor}.${action}`
    draft.problemOf(String(id), `pass the operation and its input separately: ${step}, ${name}, { … })`)
  }
  return { actor, action }
}
