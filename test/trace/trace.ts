import { excusedRows, idsNamedIn, rowsOf } from '../tidy/failure-matrix.js'
import type { Source, TextFile } from '../tidy/source.js'

/** An id of a list, and the tests that name it. */
export interface Traced {
  readonly id: string
  /** The paths of files with tests, sorted. */
  readonly tests: readonly string[]
}

/** Ids that no test names, each with its reason. */
const excused: Readonly<Record<string, string>> = {
  R11: 'README says what it is not for',
  R89: 'left out (ADR 0014): what is recovered goes through the scheduler, whose hints cost no poll',
  R96: 'the supervisor decides without diagnostics (I19); an agent that knows better fails permanently',
  R113: 'README says that work which must be atomic is not for this',
  R178: 'names of patterns are for papers',
  ...excusedRows,
}

/**
 * Returns why ids of these lists need no test: the reasons above, or those in the fourth column of their
 * line.
 */
export function excusesOf(lists: readonly TextFile[]): Readonly<Record<string, string>> {
  const said = lists.flatMap(({ text }) => {
    const lines = text.matchAll(/^\| ([A-Z]\S*) \|[^|]*\|[^|]*\| ([^|]*\S) \|$/gm)
    return [...lines].map(([, id = '', reason = '']) => [id, reason] as const)
  })
  return { ...excused, ...Object.fromEntries(said) }
}

/** Returns every id of these lists in order, with the files whose tests have it in their names. */
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

/** Returns the trace as text: a line for each id, then the ids without a test and without a reason. */
export function traceText(traced: readonly Traced[], excuses = excused): string {
  const lines = traced.map(({ id, tests }) => {
    const named = tests.length === 0 ? `- ${excuses[id] ?? ''}`.trimEnd() : tests.join('\n       ')
    return `${id.padEnd(6)} ${named}`
  })
  const without = untested(traced, excuses)
  const named = traced.filter(({ tests }) => tests.length > 0).length
  const excusedCount = traced.length - named - without.length
  const missing = without.length === 0 ? '' : `: ${without.join(' ')}`
  const summary = `${traced.length} ids: ${named} with tests, ${excusedCount} with a reason instead, ${without.length} with neither${missing}`
  return [...lines, '', summary].join('\n')
}

/** Returns the ids without a test and without a reason. */
export function untested(traced: readonly Traced[], excuses = excused): readonly string[] {
  return traced.flatMap(({ id, tests }) => (tests.length === 0 && excuses[id] === undefined ? [id] : []))
}
