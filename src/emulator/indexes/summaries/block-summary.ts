import {
  documentsPerBlock,
  type Container,
  type ContainerDefinition,
  type DocumentVersion,
  type JsonObject,
  type PathSteps,
} from '../../engine/index.js'
import { isAbove, isBelow, type Span } from '../../query/values/span.js'
import { compareValues, memberOf } from '../../query/values/values.js'

/**
 * Ascending places in a block or a chapter, each as the code of a character. Memory has millions of them, and a text
 * takes a byte for each, an array eight.
 */
export type Places = string

/** Returns places as a text. */
export function placesOf(numbers: Iterable<number>): Places {
  return String.fromCharCode(...numbers)
}

export function numbersIn(places: Places): readonly number[] {
  return Array.from({ length: places.length }, (_, at) => places.charCodeAt(at))
}

/** Returns all places of several lists, each once. */
export function unionOf(lists: readonly Places[]): readonly number[] {
  const [only] = lists
  if (only !== undefined && lists.length === 1) return numbersIn(only)
  return [...new Set(lists.flatMap(numbersIn))].sort((one, other) => one - other)
}

/** What is known of the values of some documents at one path: they lie between two values. Null if nothing is known. */
export type Cell = readonly [low: unknown, high: unknown] | null

/** Documents whose values are alike, with a cell for each path. */
export interface DocumentGroup {
  readonly count: number
  readonly cells: readonly Cell[]
  /**
   * Where these documents are: their places in the block or, in a chapter, the places of their blocks. Null if older code
   * wrote the summary and did not name them.
   */
  readonly places: Places | null
}

/** Returns the paths that a policy names one by one, such as `/type/?`. */
export function singlePaths({ indexingPolicy }: ContainerDefinition): readonly PathSteps[] {
  const { mode, includedPaths } = indexingPolicy
  if (mode === 'none') return []
  return includedPaths
    .filter(({ steps, ending }) => ending === '?' && steps.every((step) => typeof step === 'string'))
    .map(({ steps }) => steps)
    .slice(0, mostPaths)
}

/** A policy with more paths is meant for other purposes. */
const mostPaths = 24

/** All documents of a block, in groups. The group of the first document comes first. */
export type BlockSummary = readonly DocumentGroup[]

/** The values that a query wants at one of the paths of a summary. */
export interface Wanted {
  readonly place: number
  readonly spans: readonly Span[]
}

/** The most values of a path by which documents are grouped, and the most groups of a block. */
const [mostValues, mostGroups] = [8, 48]

/** Longer texts are not kept, so nothing is known of their path. */
const longestText = 64

/** A document's place in its block, and its values at the paths. */
export interface Row {
  readonly place: number
  readonly values: readonly unknown[]
}

/** A document with its place in its block. */
export type Placed = readonly [place: number, document: Readonly<JsonObject>]

const allPlaces = Array.from({ length: documentsPerBlock }, (_, place) => place)

/** Yields documents of a block: all of them, or those at these places. */
export function* versionsOf(
  container: Container,
  block: number,
  places: readonly number[] | null,
): Generator<DocumentVersion, void, undefined> {
  const first = block * documentsPerBlock
  // A walk from document to document would also pass removed documents that are still on disk.
  for (const place of places ?? allPlaces) {
    const version = container.numbered(first + place)
    if (version !== undefined) yield version
  }
}

/** Returns the values of a document at the paths. Stands in for each value of which summaries keep nothing. */
export function valuesAt(paths: readonly PathSteps[], document: Readonly<JsonObject>): readonly unknown[] {
  return paths.map((steps) => {
    const value = steps.reduce<unknown>(memberOf, document)
    return isShort(value) ? value : notKept
  })
}

const notKept = Object.freeze({})

/** Returns a summary that is valid for exactly these documents. */
export function summaryOf(paths: readonly PathSteps[], documents: Iterable<Placed>): BlockSummary {
  const rows = Array.from(documents, ([place, document]) => ({ place, values: valuesAt(paths, document) }))
  return summaryOfRows(paths, rows)
}

export function summaryOfRows(paths: readonly PathSteps[], rows: readonly Row[]): BlockSummary {
  const places = groupingPlaces(paths, rows)
  for (;;) {
    const groups = grouped(rows, places)
    if (groups.length <= mostGroups) {
      return groups.map((alike) => ({
        count: alike.length,
        cells: paths.map((_, at) => cellOf(alike.map(({ values }) => values[at]))),
        places: placesOf(alike.map(({ place }) => place)),
      }))
    }
    places.pop()
  }
}

/** Returns the rows in groups with the same values at these places. */
function grouped(rows: readonly Row[], places: readonly number[]): readonly (readonly Row[])[] {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const { values } = row
    const key = JSON.stringify(places.map((place) => (values[place] === undefined ? [] : values[place])))
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [row])
    else group.push(row)
  }
  return [...groups.values()]
}

/** Returns the paths with few values, those with the fewest first. */
function groupingPlaces(paths: readonly PathSteps[], rows: readonly Row[]): number[] {
  const counted = paths.map((_, place) => ({ place, count: countOfValues(rows, place) }))
  return counted
    .filter(({ count }) => count <= mostValues)
    .sort((one, other) => one.count - other.count)
    .map(({ place }) => place)
}

function countOfValues(rows: readonly Row[], place: number): number {
  const values = new Set<unknown>()
  for (const row of rows) {
    const value = row.values[place]
    if (!isShort(value)) return Number.POSITIVE_INFINITY
    values.add(value)
    if (values.size > mostValues) break
  }
  return values.size
}

function isShort(value: unknown): boolean {
  return typeof value === 'string' ? value.length <= longestText : typeof value !== 'object' || value === null
}

function cellOf(values: readonly unknown[]): Cell {
  let [low] = values
  let high = low
  for (const value of values) {
    if (!isShort(value)) return null
    if (compareValues(value, low) < 0) low = value
    else if (compareValues(value, high) > 0) high = value
  }
  return compareValues(low, high) === 0 ? pointCell(low) : [low, high]
}

/** Returns whether none, some or all documents of a group have wanted values. `some` may also be none or all. */
export function matchOf({ cells }: DocumentGroup, wanted: readonly Wanted[]): 'none' | 'some' | 'all' {
  let match: 'some' | 'all' = 'all'
  for (const { place, spans } of wanted) {
    const cell = cells[place] ?? null
    if (cell !== null && spans.every((span) => isApart(cell, span))) return 'none'
    if (cell === null || !spans.some((span) => isInside(cell, span))) match = 'some'
  }
  return match
}

function isApart([low, high]: readonly [unknown, unknown], span: Span): boolean {
  return isAbove(low, span) || isBelow(high, span)
}

function isInside([low, high]: readonly [unknown, unknown], span: Span): boolean {
  return !isBelow(low, span) && !isAbove(high, span)
}

/** Stands for undefined, which JSON does not have. No value of a cell is an object. */
type Written = string | number | boolean | null | Readonly<Record<string, never>>

/** Stands before the name of the paths in a summary whose groups may have a list of places instead of their number. */
const withPlaces = 'places '

/** Writes a summary as JSON, after a name of its paths. */
export function summaryText(name: string, summary: BlockSummary): string {
  const groups = summary.map(({ count, cells, places }) => [
    places === null ? count : numbersIn(places),
    ...cells.map(writtenCell),
  ])
  return JSON.stringify([withPlaces + name, ...groups])
}

/** Writes the summary of a chapter as JSON, after a name of its paths. A block has several documents of a group. */
export function chapterText(name: string, summary: BlockSummary): string {
  const groups = summary.map(({ count, cells, places }) => [
    count,
    numbersIn(places ?? ''),
    ...cells.map(writtenCell),
  ])
  return JSON.stringify([name, ...groups])
}

function writtenCell(cell: Cell): readonly Written[] {
  if (cell === null) return []
  const [low, high] = cell.map((value) => (value === undefined ? {} : value) as Written)
  return compareValues(cell[0], cell[1]) === 0 ? [low as Written] : [low as Written, high as Written]
}

type WrittenGroup = readonly [number | readonly number[], ...(readonly Written[])[]]

/** Whether older code wrote a summary, which does not name all places. */
export function lacksPlaces(summary: BlockSummary): boolean {
  return summary.some(({ places }) => places === null)
}

/** Reads a summary. Returns null if it has other paths. */
export function readSummary(name: string, text: string): BlockSummary | null {
  const [written, ...groups] = JSON.parse(text) as [string, ...WrittenGroup[]]
  if (written !== name && written !== withPlaces + name) return null
  return groups.map(([given, ...cells]) => ({
    count: typeof given === 'number' ? given : given.length,
    cells: cells.map(readCell),
    places: typeof given === 'number' ? null : placesOf(given),
  }))
}

/** Reads the summary of a chapter. Returns null if it has other paths. */
export function readChapter(name: string, text: string): BlockSummary | null {
  const [written, ...groups] = JSON.parse(text) as [
    string,
    ...(readonly [number, readonly number[], ...(readonly Written[])[]])[],
  ]
  if (written !== name) return null
  return groups.map(([count, places, ...cells]) => ({
    count,
    cells: cells.map(readCell),
    places: placesOf(places),
  }))
}

function readCell(cell: readonly Written[]): Cell {
  const [low, high = low] = cell
  if (low === undefined) return null
  return low === high ? pointCell(readValue(low)) : [readValue(low), readValue(high)]
}

function readValue(written: Written | undefined): unknown {
  return typeof written === 'object' && written !== null ? undefined : written
}

/** Cells that many blocks share. Memory has each of them once. */
const points = new Map<unknown, Cell>()
const mostPoints = 4_096

function pointCell(value: unknown): Cell {
  let cell = points.get(value)
  if (cell === undefined) {
    if (points.size >= mostPoints) points.clear()
    cell = [value, value]
    points.set(value, cell)
  }
  return cell
}
