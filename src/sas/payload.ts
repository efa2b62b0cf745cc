import { createHash } from 'node:crypto'
import type { Json } from './documents.js'

/** Tells two submissions apart: equal for equal workflow and input, whatever the order of their properties. */
export function payloadHash(workflow: string, input: Json): string {
  return createHash('sha256')
    .update(`${workflow}\n${canonical(input)}`)
    .digest('base64url')
}

function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(',')}}`
}
