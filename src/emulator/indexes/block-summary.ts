import type { JsonObject, PathSteps } from '../engine/index.js'
import { isAbove, isBelow, type Span } from '../query/values/span.js'
import { compareValues, memberOf } from '../query/values/values.js'

/** What is known of the values of some documents at one path: they lie between two values. Null if nothing is known. */
export type Cell = readonly [low: unknown, high: unknown] | null

/** Documents of a block whose values are alike, with a cell for each path. */
export interface DocumentGroup {
  readonly count: number
  readonly cells: readonly Cell[]
}

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

/** The values of a document at the paths. */
type Row = readonly unknown[]

/** Returns a summary that is valid for exactly these documents. */
export function summaryOf(
  paths: readonly PathSteps[],
  documents: Iterable<Readonly<JsonObject>>,
): BlockSummary {
  const rows = Array.from(documents, (document) =>
    paths.map((steps) => steps.reduce<unknown>(memberOf, document)),
  )
  const places = groupingPlaces(paths, rows)
  for (;;) {
    const groups = grouped(rows, places)
    if (groups.length <= mostGroups) {
      return groups.map((alike) => ({
        count: alike.length,
        cells: paths.map((_, place) => cellOf(alike.map((row) => row[place]))),
      }))
    }
    places.pop()
  }
}

/** Returns the rows in groups with the same values at these places. */
function grouped(rows: readonly Row[], places: readonly number[]): readonly (readonly Row[])[] {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const key = JSON.stringify(places.map((place) => (row[place] === undefined ? [] : row[place])))
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
    const value = row[place]
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
  return [low, high]
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

/** Writes a summary as JSON, after a name of its paths. */
export function summaryText(name: string, summary: BlockSummary): string {
  const groups = summary.map(({ count, cells }) => [count, ...cells.map(writtenCell)])
  return JSON.stringify([name, ...groups])
}

function writtenCell(cell: Cell): readonly Written[] {
  if (cell === null) return []
  const [low, high] = cell.map((value) => (value === undefined ? {} : value) as Written)
  return compareValues(cell[0], cell[1]) === 0 ? [low as Written] : [low as Written, high as Written]
}

/** Reads a summary. Returns null if it has other paths. */
export function readSummary(name: string, text: string): BlockSummary | null {
  const [written, ...groups] = JSON.parse(text) as [string, ...[number, ...(readonly Written[])[]][]]
  if (written !== name) return null
  return groups.map(([count, ...cells]) => ({ count, cells: cells.map(readCell) }))
}

function readCell(cell: readonly Written[]): Cell {
  const [low, high = low] = cell
  if (low === undefined) return null
  return low === high ? pointCell(low) : [readValue(low), readValue(high)]
}

function readValue(written: Written | undefined): unknown {
  return typeof written === 'object' && written !== null ? undefined : written
}

/** Cells that many blocks share. Memory has each of them once. */
const points = new Map<unknown, Cell>()
const mostPoints = 4_096

function pointCell(written: Written): Cell {
  const value = readValue(written)
  let cell = points.get(value)
  if (cell === undefined) {
    if (points.size >= mostPoints) points.clear()
    cell = [value, value]
    points.set(value, cell)
  }
  return cell
}
