import { idsNamedIn, rowsOf } from '../tidy/failure-matrix.js'
import type { Source, TextFile } from '../tidy/source.js'

/** An id of a list and the tests that name it. */
export interface Traced {
  readonly id: string
  /** Paths of files with tests, in order. */
  readonly tests: readonly string[]
}

/** Every id of these lists, in their order, with the files whose tests have it in their names. */
export function trace(lists: readonly TextFile[], sources: readonly Source[]): readonly Traced[] {
  const files = new Map<string, Set<string>>()
  for (const source of sources) {
    for (const id of idsNamedIn(source)) {
      const known = files.get(id) ?? new Set()
      files.set(id, known.add(source.path))
    }
  }
  return lists.flatMap(rowsOf).map((id) => ({ id, tests: [...(files.get(id) ?? [])].sort() }))
}

/** The same as text: a line for each id, and at the end the ids that no test names. */
export function traceText(traced: readonly Traced[]): string {
  const lines = traced.map(
    ({ id, tests }) => `${id.padEnd(6)} ${tests.length === 0 ? '-' : tests.join('\n       ')}`,
  )
  const without = traced.filter(({ tests }) => tests.length === 0).map(({ id }) => id)
  const summary = `${traced.length} ids, ${without.length} without a test${without.length === 0 ? '' : `: ${without.join(' ')}`}`
  return [...lines, '', summary].join('\n')
}
