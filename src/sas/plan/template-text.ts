import type { Json } from '../model/documents.js'
import type { Condition } from './condition.js'

/** Returns a condition of a plan as a person would write it, such as `equal(review.output.approved, true)`. */
export function conditionText(when: Json): string {
  if (!isCondition(when)) return templateText(when)
  const [asked] = when.of as readonly Json[]
  if (when.operator === 'hasItem')
    return `${templateText(asked ?? null)} has item ${JSON.stringify(when.of[1])}`
  return `${when.operator}(${(when.of as readonly Json[]).map(conditionText).join(', ')})`
}

/**
 * Returns a template as text, with references as paths such as `input.total`. A text with references has them in
 * braces, as in `payout {input.tenant}`.
 */
export function templateText(template: Json): string {
  const parts = textIn(template)
  if (parts !== null)
    return parts.map((part) => (typeof part === 'string' ? part : `{${templateText(part)}}`)).join('')
  const path = pathIn(template)
  if (path !== null) return (path[0] === 'steps' ? path.slice(1) : path).join('.')
  return JSON.stringify(template)
}

function textIn(template: Json): readonly Json[] | null {
  if (typeof template !== 'object' || template === null || !('$from' in template)) return null
  const from = template['$from']
  return Array.isArray(from) && from[0] === 'text' ? from.slice(1) : null
}

function pathIn(template: Json): readonly string[] | null {
  if (typeof template !== 'object' || template === null || !('$from' in template)) return null
  const from = template['$from']
  if (!Array.isArray(from)) return null
  return from.every((part) => typeof part === 'string') ? from : null
}

function isCondition(value: Json): value is Json & Condition {
  return typeof value === 'object' && value !== null && 'operator' in value && 'of' in value
}
