import { expect } from 'vitest'
import { compileQuery, QueryError } from '../../../src/emulator/query/index.js'

export type Documents = readonly Readonly<Record<string, unknown>>[]

/** A query, the documents of its container, and the rows that the documentation promises. */
export type Example = readonly [query: string, documents: Documents, expected: readonly unknown[]]

/** Writes a query of several lines on one line, so that it can stand in a title. */
export function sql(parts: TemplateStringsArray): string {
  return parts.join('').replace(/\s+/g, ' ').trim()
}

/** Returns the rows of a query. Expects the same rows from a query that answers document by document. */
export function rowsOf(
  text: string,
  documents: Documents = [{}],
  parameters: Readonly<Record<string, unknown>> = {},
): readonly unknown[] {
  const bound = Object.entries(parameters).map(([name, value]) => ({ name: `@${name}`, value }))
  const query = compileQuery(text, bound)
  const rows = query.execute(documents)
  if (query.isStreaming) {
    expect(documents.flatMap((document) => query.rowsOf(document))).toStrictEqual(rows)
  }
  return rows
}

/** Returns the status and the code of the refusal, such as `400 SC1001`, or `answered`. */
export function refusalOf(
  text: string,
  documents: Documents = [{}],
  parameters: Readonly<Record<string, unknown>> = {},
): string {
  try {
    rowsOf(text, documents, parameters)
    return 'answered'
  } catch (error) {
    if (error instanceof QueryError) return `${error.status} ${error.code}`
    throw error
  }
}

/** Writes a value as JSON that is the same for equal values: in objects, properties have no order. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  )
}

/** For clauses that promise a set of rows and no order. */
export function inAnyOrder(rows: readonly unknown[]): readonly string[] {
  return rows.map(canonical).sort()
}
