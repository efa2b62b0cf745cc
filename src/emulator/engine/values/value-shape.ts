import { badRequest } from './refusal.js'

/**
 * Refuses a parsed JSON value that is nested deeper than `deepest`, or contains a number that JSON cannot
 * represent, such as `1e999`. After this check, code may process the value recursively.
 *
 * @param what names the value in the message
 */
export function assertShape(value: unknown, what: string, deepest: number): void {
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return
    throw badRequest(
      `${what} has a number beyond the range of a double; JSON readers would take it for null.`,
    )
  }
  if (typeof value !== 'object' || value === null) return
  if (deepest === 0) throw badRequest(`${what} is nested too deeply; make it flatter.`)
  if (Array.isArray(value)) {
    for (const item of value) assertShape(item, what, deepest - 1)
    return
  }
  // Makes no list of the values. A JSON value inherits none.
  for (const name in value) {
    assertShape((value as Readonly<Record<string, unknown>>)[name], what, deepest - 1)
  }
}
