import { QueryError } from './query-error.js'

/** The maximum length of a computed text, and of a row. A page of the service could not hold more. */
const longestResult = 4 * 1024 * 1024

/** The most comparisons of one LIKE with one text. */
const mostComparisons = 50_000_000

const nowhere = { start: 0, end: 0 }

/** Refuses a text that would be too long. Functions that make texts longer call this before they compute. */
export function refuseLongResult(characters: number): void {
  if (characters <= longestResult) return
  const reason =
    `The query computes a value of more than ${longestResult} characters, which is the ` +
    'limit. Select less.'
  throw new QueryError('BadRequest', reason, nowhere)
}

export function refuseCostly(comparisons: number): void {
  if (comparisons <= mostComparisons) return
  const reason =
    `A LIKE pattern needs more than ${mostComparisons} comparisons for one text, which ` +
    'is the limit. Use fewer wildcards between two %.'
  throw new QueryError('BadRequest', reason, nowhere)
}

/** The most rows of FROM and JOIN that one request may make. */
const mostFrames = 20_000_000

/** Counts the rows of FROM and JOIN that one request makes, so that a product of arrays cannot go on forever. */
export class QueryWork {
  private frames = 0

  /** Counts a row. Throws {@link QueryError} when there are too many. */
  add(): void {
    this.frames += 1
    if (this.frames <= mostFrames) return
    const reason = `The query combines more than ${mostFrames} values, which is the limit. Filter before you join.`
    throw new QueryError('BadRequest', reason, nowhere)
  }
}

/** Returns the value's JSON. Refuses a value whose JSON would be too long, before creating it. */
export function jsonOf(value: unknown): string | undefined {
  refuseLongResult(sizeOf(value, 0))
  return JSON.stringify(value)
}

/**
 * Estimates the length of the value's JSON without escapes; a number counts as 4. Stops once it is too long.
 */
export function sizeOf(value: unknown, before: number): number {
  if (typeof value === 'string') return before + value.length + 2
  if (typeof value !== 'object' || value === null) return before + 4
  let size = before + 2
  for (const name of Object.keys(value)) {
    if (size > longestResult) return size
    const inner = (value as Readonly<Record<string, unknown>>)[name]
    size = sizeOf(inner, Array.isArray(value) ? size : size + name.length + 3)
  }
  return size
}
