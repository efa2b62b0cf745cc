import type { Question } from './cosmos-state-requests.js'

export type Ask = <T>(question: Question) => Promise<readonly T[]>

/** A page of the documents whose `field` has a value between two bounds, in the order of that field. */
interface OrderedPage<T> {
  readonly select: string
  readonly where: string
  readonly field: string
  readonly valueOf: (found: T) => string | number
  /** The lower bound, itself excluded. Null means no lower bound. */
  readonly after: string | number | null
  /** The upper bound, itself excluded. Default: no upper bound. */
  readonly before?: number
  readonly limit: number
  readonly parameters?: Question['parameters']
}

/**
 * Returns at least `limit` documents if there are that many. A page ends only where the field's value
 * changes.
 */
export async function orderedPage<T>(
  ask: Ask,
  { select, where, field, valueOf, after, before, limit, parameters = {} }: OrderedPage<T>,
): Promise<readonly T[]> {
  const wanted = `${select} FROM c WHERE ${where}`
  const above = after === null ? '' : ` AND ${field} > @after`
  const below = before === undefined ? '' : ` AND ${field} < @before`
  const first = await ask<T>({
    text: `SELECT TOP @limit ${wanted}${above}${below} ORDER BY ${field}`,
    parameters: { ...parameters, limit, after: after ?? undefined, before },
  })
  const last = first.at(-1)
  if (last === undefined || first.length < limit) return first
  const value = valueOf(last)
  const text = `SELECT ${wanted} AND ${field} = @value`
  const ofLast = await ask<T>({ text, parameters: { ...parameters, value } })
  return [...first.filter((found) => valueOf(found) !== value), ...ofLast]
}
