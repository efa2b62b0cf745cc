import { createHash } from 'node:crypto'
import type { Json } from '../model/documents.js'
import type { Plan } from './plan.js'

/** Tells two submissions apart: equal for equal workflow and input, whatever the order of their properties. */
export function payloadHash(workflow: string, input: Json): string {
  return hashOf(`${workflow}\n${canonical(input)}`)
}

/** Tells two definitions of a workflow apart, whatever they call their version. */
export function planHash(plan: Plan): string {
  return hashOf(canonical(JSON.parse(JSON.stringify(plan)) as Json))
}

/** The SHA-256 of a text, in letters that URLs and headers take. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/** Whether two values are the same JSON, whatever the order of their properties. */
export function sameJson(one: Json, other: Json): boolean {
  return canonical(one) === canonical(other)
}

function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(',')}}`
}
