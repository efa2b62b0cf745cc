import type { Query } from '../language/ast.js'
import { work } from '../language/page-time.js'
import { expressionCount } from '../language/walk.js'
import { canonicalText } from '../values/values.js'
import { compileFilter, type Filter } from './filter.js'
import { compileRows } from './rows.js'
import { withoutAggregates, type CompiledSelect, type Frame, type Scope } from './scope.js'
import { compileSources } from './sources.js'
import { windowOf, type Window } from './window.js'

/** A compiled query with its filter and its window. `rows` also yields the rows outside the window. */
interface WindowedSelect extends CompiledSelect {
  readonly filter: Filter
  readonly window: Window
  /** Returns the rows of one frame. Faster than `rows` for a query whose only source is the container. */
  readonly rowsOfFrame: (frame: Frame) => readonly unknown[]
}

const noRows: readonly unknown[] = []

export function compileSelect(query: Query, outer: Scope): WindowedSelect {
  const sources = compileSources(query.sources, withoutAggregates(outer))
  const filter = compileFilter(query.where, sources.scope)
  const window = windowOf(query, outer)
  const pass = measured(filter, outer, expressionCount(query))
  const { makeRows, isSingle } = compileRows(query, window, { outer, inner: sources.scope })
  return {
    filter,
    window,
    rows: (frame, container, all = container) => {
      const rows = makeRows(passing(sources.frames(frame, container), pass), frame, all)
      return query.isDistinct ? distinct(rows, outer) : rows
    },
    rowsOfFrame: (frame) => (pass.matches(frame) ? [...makeRows([frame], [], [])] : noRows),
    isSingle: isSingle || (sources.isSingle && query.groupBy.length === 0),
  }
}

/** Reports the work for each frame, and counts the frames that pass if the query reads the container. */
function measured(
  { matches }: Filter,
  { pageTime, hasContainer, matched }: Scope,
  expressions: number,
): Pick<Filter, 'matches'> {
  const units = work.frame + expressions
  return {
    matches: (frame) => {
      pageTime.spend(units)
      const isMatch = matches(frame)
      if (isMatch && hasContainer) matched.count += 1
      return isMatch
    },
  }
}

function* passing(frames: Iterable<Frame>, { matches }: Pick<Filter, 'matches'>): Generator<Frame> {
  for (const frame of frames) if (matches(frame)) yield frame
}

function* distinct(rows: Iterable<unknown>, { pageTime }: Scope): Generator {
  const seen = new Set<string>()
  for (const row of rows) {
    const text = canonicalText(row)
    if (seen.has(text)) continue
    seen.add(pageTime.computed(text))
    yield row
  }
}
