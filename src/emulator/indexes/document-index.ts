import type { DocumentVersion, JsonObject, OrderedPath } from '../engine/index.js'
import { isAbove, isBelow, type Span } from '../query/values/span.js'
import { compareValues, memberOf } from '../query/values/values.js'
import { NumberedEntries } from './numbered-entries.js'
import { isBefore, SortedEntries, type Position } from './sorted-entries.js'

/** A document in an index. There may be millions, so an entry has no list if the index has only one path. */
interface Entry {
  /** The value at the only path, or a list with the values at the paths. */
  readonly values: unknown
  readonly number: number
}

/** The documents of an index whose values lie in certain spans. */
export interface Slice {
  readonly count: number
  /** Yields the numbers of the documents in the order of the index or, if `isReversed`, in the opposite order. */
  numbers(isReversed: boolean): Iterable<number>
}

/**
 * A range index over one path, or a composite index over several paths. It contains every document. If a
 * document has no value at a path, its value there is undefined. Documents with equal values have the order
 * of creation, in both directions, as with ORDER BY.
 */
export class DocumentIndex {
  private readonly entries: SortedEntries<Entry>
  /** The entries by number of the document. An index has no versions, because memory need not have them. */
  private readonly byNumber = new NumberedEntries<Entry>()

  constructor(
    readonly paths: readonly OrderedPath[],
    versions: Iterable<DocumentVersion>,
  ) {
    const entries = Array.from(versions, (version) => this.entryOf(version))
    for (const entry of entries) this.byNumber.set(entry.number, entry)
    this.entries = new SortedEntries(
      entries,
      (one, other) => this.compareValues(one.values, other.values) || one.number - other.number,
    )
  }

  /** The number of documents in the index. */
  get size(): number {
    return this.byNumber.size
  }

  /** Returns a document's value at the first path. */
  valueOf(number: number): unknown {
    const entry = this.byNumber.get(number)
    return entry === undefined ? undefined : this.valueAt(entry.values, 0)
  }

  /**
   * Puts the newest version of a document in the place of another, or removes it if there is none. If the
   * version cannot be read, nothing changes.
   */
  change(number: number, version: DocumentVersion | null): void {
    const entry = version === null ? null : this.entryOf(version)
    const before = this.byNumber.get(number)
    if (before !== undefined) this.entries.remove(before)
    this.byNumber.delete(number)
    if (entry === null) return
    this.byNumber.set(number, entry)
    this.entries.add(entry)
  }

  /**
   * Returns the documents with values in these spans. Each span belongs to one of the first paths. All spans
   * but the last are points.
   */
  slice(spans: readonly Span[]): Slice {
    const { entries } = this
    const from = entries.seek(({ values }) => this.sideOf(values, spans) >= 0)
    const to = entries.seek(({ values }) => this.sideOf(values, spans) > 0)
    return {
      count: entries.count(from, to),
      numbers: (isReversed) => numbersOf(isReversed ? this.reversed(from, to) : entries.between(from, to)),
    }
  }

  /**
   * Yields the entries from the last values to the first ones. Entries with equal values keep their order.
   */
  private *reversed(from: Position, to: Position): Generator<Entry, void, undefined> {
    const { entries } = this
    let end = to
    while (isBefore(from, end)) {
      const values = entries.before(end)?.values
      const start = entries.seek((entry) => this.compareValues(entry.values, values) >= 0)
      yield* entries.between(start, end)
      end = start
    }
  }

  /** Returns -1 for values before the spans, 0 for values in them, and 1 for values after them. */
  private sideOf(values: unknown, spans: readonly Span[]): number {
    for (const [place, span] of spans.entries()) {
      const forward = this.paths[place]?.isDescending === true ? -1 : 1
      const value = this.valueAt(values, place)
      if (isBelow(value, span)) return -forward
      if (isAbove(value, span)) return forward
    }
    return 0
  }

  private valueAt(values: unknown, place: number): unknown {
    return this.paths.length === 1 ? values : (values as readonly unknown[])[place]
  }

  private compareValues(one: unknown, other: unknown): number {
    const { paths } = this
    for (let place = 0; place < paths.length; place += 1) {
      const difference = compareValues(this.valueAt(one, place), this.valueAt(other, place))
      if (difference !== 0) return paths[place]?.isDescending === true ? -difference : difference
    }
    return 0
  }

  private entryOf(version: DocumentVersion): Entry {
    let document: Readonly<JsonObject> | undefined
    const values = this.paths.map(({ steps }) => {
      // Queries for the newest documents or for pages often need only these, so no document has to be parsed.
      if (steps.length === 1 && steps[0] === '_ts') return version.ts
      if (steps.length === 1 && steps[0] === 'id') return version.id
      document ??= version.seen
      return steps.reduce<unknown>(memberOf, document)
    })
    return { values: values.length === 1 ? values[0] : values, number: version.number }
  }
}

function* numbersOf(entries: Iterable<Entry>): Generator<number, void, undefined> {
  for (const { number } of entries) yield number
}
