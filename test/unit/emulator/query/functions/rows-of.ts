import { compileQuery } from '../../../../../src/emulator/query/index.js'

/** An expression of a query, and its value. */
export type Row = readonly [expression: string, value: unknown]

/** Returns the rows of a query for one document. There is no row if the expression is undefined. */
export function rowsOf(
  expression: string,
  document: Readonly<Record<string, unknown>> = {},
  parameters: Readonly<Record<string, unknown>> = {},
): readonly unknown[] {
  const given = Object.entries(parameters).map(([name, value]) => ({ name: `@${name}`, value }))
  return compileQuery(`SELECT VALUE ${expression} FROM c`, given).execute([document])
}

/** Returns the rows that a value makes. */
export function rowsWith(value: unknown): readonly unknown[] {
  return value === undefined ? [] : [value]
}
