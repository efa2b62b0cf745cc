import { createHash } from 'node:crypto'
import type { Json } from '../model/documents.js'
import type { Plan } from './plan.js'

/** Returns a hash of a workflow's name and an input. The order of properties in the input does not matter. */
export function payloadHash(workflow: string, input: Json): string {
  return hashOf(`${workflow}\n${canonical(input)}`)
}

/** Returns a hash of a plan, which differs for different definitions with the same version. */
export function planHash(plan: Plan): string {
  return hashOf(canonical(JSON.parse(JSON.stringify(plan)) as Json))
}

/** Returns the SHA-256 hash of a string in base64url, which URLs and headers accept. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/** Checks whether two values are the same JSON. The order of properties does not matter. */
export function sameJson(one: Json, other: Json): boolean {
  return canonical(one) === canonical(other)
}

function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(',')}}`
}
