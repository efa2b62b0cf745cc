import type { JsonObject } from './json.js'
import { limits } from './limits.js'
import { badRequest } from './refusal.js'

/** Refuses a document whose objects and arrays lie too deep within each other. */
export function assertNesting(id: string, document: JsonObject): void {
  if (isWithin(document, limits.nestingLevels)) return
  throw badRequest(
    `The document '${id}' has more than ${limits.nestingLevels} levels of objects and arrays within each other; flatten it.`,
  )
}

function isWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (levels < 0) return false
  for (const inner of Object.values(value)) {
    if (typeof inner === 'object' && !isWithin(inner, levels - 1)) return false
  }
  return true
}
