/**
 * # Indexes
 *
 * Finds the documents of a query without reading all of them. The indexing policy says which indexes a
 * container has (`usable-indexes`). The first query that needs an index builds it, and later queries apply
 * what has changed meanwhile (`container-indexes`). An index is a sorted list of documents
 * (`document-index`). An index that is far behind catches up in slices (`kept-index`), and its query runs
 * again after that (`index-pending`).
 *
 * A container on disk also has summaries of blocks of documents (`block-summary`) on disk. `kept-summaries` has them in
 * memory, joined to chapters (`chapter`), and `summary-writer` writes them. If they help a query (`summarized-reading`), it
 * needs no index. `suspects` uses them to find open work for sweeps.
 *
 * This file compares the costs of the ways to read the documents of a query. `index-advice` says which
 * indexes a query uses, and which useful indexes the policy lacks.
 */
import {
  contains,
  intersection,
  partitionsIn,
  scan,
  type Container,
  type DocumentVersion,
  type OrderedPath,
  type ScanScope,
  wholeKeySpace,
} from '../engine/index.js'
import { ContainerIndexes } from './container-indexes.js'
import { coveredDocuments, type CoveringIndex } from './covered-documents.js'
import { DocumentIndex, type Slice } from './document-index.js'
import type { IndexReading, ReadingRequest } from './reading-request.js'
import { summarizedReading } from './summarized-reading.js'
import { filterIndexes, orderIndex } from './usable-indexes.js'

/** The fewest documents for which an index is worth building. A smaller scope is always scanned. */
const fewestDocuments = 1_000

/**
 * The most indexes that one query compares. Without a limit, a query with many conditions would build many.
 */
const mostLookups = 4

/** What a document costs whose values indexes know, as a part of a document that is read. */
const coveredPart = 0.1

/**
 * Returns how to read the documents of a query with an index, or undefined if a scan costs less. An index
 * only narrows the documents or gives their order, so the caller must still apply the filter.
 */
export function indexReading(container: Container, request: ReadingRequest): IndexReading | undefined {
  const { scope, query, needed } = request
  const size = countIn(container, scope)
  if (size < fewestDocuments) return undefined
  const summarized = summarizedReading(container, request, {
    visible: (versions) => visibleOf(container, request, versions),
    isWhole: !container.hasExpired && isWhole(scope) && request.after === 0,
  })
  if (summarized !== undefined) return summarized
  const total = container.documentCount
  const found = smallestLookup(container, request)
  const matching = Math.max(1, found?.count ?? total)
  const lookupCost = Math.min(found?.count ?? size, size)
  const ordered = orderedReading(container, request)
  // Only some documents match, so a walk in the order of ORDER BY reads more documents than are needed.
  if (ordered !== undefined) {
    const { count } = ordered
    const walkCost = (needed * count * total) / Math.min(matching, count) / size
    if (walkCost < lookupCost)
      return { versions: visible(container, request, ordered.numbers()), isOrdered: true }
  }
  if (found === undefined) return undefined
  const covering = coveringIndexes(container, request)
  const scanCost = query.isStreaming ? Math.min(size, (needed * total) / matching) : size
  const readCost = found.count * (covering === null ? 2 : coveredPart)
  if (readCost > scanCost) return undefined
  const numbers = Float64Array.from(found.numbers()).sort()
  const versions = visible(container, request, numbers)
  if (covering === null) return { versions, isOrdered: false }
  const covered = coveredDocuments(visibleNumbers(container, request, numbers), covering)
  return { versions, isOrdered: false, covered }
}

/**
 * Returns indexes with all values that a query reads, or null if there are none. Builds no index over a path
 * that the filter does not use.
 */
function coveringIndexes(
  container: Container,
  { query, mayWait }: ReadingRequest,
): readonly CoveringIndex[] | null {
  const { readPaths, isStreaming } = query
  if (readPaths === null || isStreaming || readPaths.length > mostLookups) return null
  const filtering = filterIndexes(container.definition.indexingPolicy, query)
  const usable = readPaths.flatMap((path) => {
    const found = filtering.find(({ paths }) => isOver(paths, path))
    return found === undefined ? [] : [{ path, paths: found.paths }]
  })
  if (usable.length < readPaths.length) return null
  const indexes = ContainerIndexes.of(container)
  return usable.map(({ path, paths }) => ({ path, index: indexes.index(paths, mayWait) }))
}

function isOver(paths: readonly OrderedPath[], path: readonly string[]): boolean {
  const [only, ...others] = paths
  const isSame = only?.steps.length === path.length && only.steps.every((step, place) => step === path[place])
  return isSame && others.length === 0
}

/**
 * Returns the documents of a small scope in the order of ORDER BY, if the policy has an index with this
 * order. `indexReading` would scan such a scope. With this index, query metrics show what the service would
 * read.
 */
export function smallOrderedReading(
  container: Container,
  { scope, query }: ReadingRequest,
): IndexReading | undefined {
  const usable = orderIndex(container.definition.indexingPolicy, query)
  if (usable === undefined || countIn(container, scope) >= fewestDocuments) return undefined
  const versions = new Map(Array.from(scan(container, scope), (version) => [version.number, version]))
  const index = new DocumentIndex(usable.paths, versions.values())
  const numbers = [...index.slice(usable.spans).numbers(usable.isReversed)]
  return { versions: numbers.flatMap((number) => versions.get(number) ?? []), isOrdered: true }
}

/** Documents of an index. */
interface Lookup {
  /** The number of documents, which is known before an index without spans is built. */
  readonly count: number
  numbers(): Iterable<number>
}

/** Returns the smallest part of an index that contains all documents that match the filter. */
function smallestLookup(
  container: Container,
  { query, needed, mayWait }: ReadingRequest,
): Lookup | undefined {
  let smallest: Lookup | undefined
  for (const { paths, reads } of filterIndexes(container.definition.indexingPolicy, query).slice(
    0,
    mostLookups,
  )) {
    const index = ContainerIndexes.of(container).index(paths, mayWait)
    const lookup = joined(reads.map((spans) => index.slice(spans)))
    if (smallest === undefined || lookup.count < smallest.count) smallest = lookup
    // Another index would save nothing, and building it may take long.
    if (smallest.count <= needed) return smallest
  }
  return smallest
}

function orderedReading(container: Container, { query, mayWait }: ReadingRequest): Lookup | undefined {
  const usable = orderIndex(container.definition.indexingPolicy, query)
  if (usable === undefined) return undefined
  const { paths, spans, isReversed } = usable
  const slice = (): Slice => ContainerIndexes.of(container).index(paths, mayWait).slice(spans)
  return {
    count: spans.length === 0 ? container.documentCount : Math.max(1, slice().count),
    numbers: () => slice().numbers(isReversed),
  }
}

function joined(slices: readonly Slice[]): Lookup {
  return {
    count: slices.reduce((sum, { count }) => sum + count, 0),
    *numbers() {
      for (const slice of slices) yield* slice.numbers(false)
    },
  }
}

function countIn(container: Container, scope: ScanScope): number {
  if (scope.kind === 'key') return scope.partition.countOf(scope.keyText)
  return partitionsIn(container, scope).reduce((sum, { documents }) => sum + documents.size, 0)
}

/** Yields the documents of the request's scope that have not expired. */
function* visible(
  container: Container,
  request: ReadingRequest,
  numbers: Iterable<number>,
): Generator<DocumentVersion, void, undefined> {
  for (const number of numbers) {
    const version = number > request.after ? container.numbered(number) : undefined
    if (version !== undefined) yield* visibleOf(container, request, [version])
  }
}

function* visibleOf(
  container: Container,
  { scope, after }: ReadingRequest,
  versions: Iterable<DocumentVersion>,
): Generator<DocumentVersion, void, undefined> {
  for (const version of versions) {
    const isWanted = version.number > after && isInScope(scope, version)
    if (isWanted && !container.isExpired(version)) yield version
  }
}

/** The same as `visible`, but reads the documents only if the scope leaves out some, or some have expired. */
function* visibleNumbers(
  container: Container,
  request: ReadingRequest,
  numbers: Iterable<number>,
): Generator<number, void, undefined> {
  const { scope, after } = request
  if (!container.hasExpired && isWhole(scope)) {
    for (const number of numbers) if (number > after) yield number
    return
  }
  for (const { number } of visible(container, request, numbers)) yield number
}

function isWhole(scope: ScanScope): boolean {
  if (scope.kind === 'key') return false
  const { partition, range } = scope
  const { min, max } = intersection(partition?.range ?? wholeKeySpace, range ?? wholeKeySpace) ?? noKeys
  return min === wholeKeySpace.min && max === wholeKeySpace.max
}

const noKeys = { min: '', max: '' }

function isInScope(scope: ScanScope, { fields }: DocumentVersion): boolean {
  if (scope.kind === 'key') return fields.keyText === scope.keyText
  const { partition, range } = scope
  return (
    (partition === undefined || contains(partition.range, fields.epk)) &&
    (range === undefined || contains(range, fields.epk))
  )
}
