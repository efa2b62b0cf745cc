import { chapterSize } from '../../engine/index.js'
import { compareValues } from '../../query/values/values.js'
import { placesOf, type BlockSummary, type Cell, type DocumentGroup } from './block-summary.js'

/** The most values that a path may have to tell groups of a chapter apart, and the most groups of a chapter. */
const [mostValues, mostGroups] = [8, 96]

/** A block with its summary. */
type Block = readonly [block: number, summary: BlockSummary]

/** Reads the summaries of a chapter from disk. */
interface OnDisk {
  /** Reads the summaries of all blocks of a chapter that opens. */
  open(chapter: Chapter): readonly Block[]
  /** Reads the summary of one block. Returns an empty list if there is none. */
  read(block: number): readonly Block[]
}

const nothingOnDisk: OnDisk = { open: () => [], read: () => [] }

/**
 * The known summaries of successive blocks, and one joined summary of them all. The joined summary tells a query
 * whether it has to look at the blocks. Otherwise each query would look at each block of the container.
 *
 * If the summaries of all blocks are on disk, the chapter may be shut: then memory has only the joined summary. A shut
 * chapter opens when a query needs many of its blocks, or when its blocks must be joined again after a change.
 */
export class Chapter {
  private readonly known = new Map<number, BlockSummary>()
  /** The joined summary. Null if a block has changed since the blocks were joined. */
  private merged: BlockSummary | null = null
  /** The blocks that changed since the chapter was shut. Their summaries on disk are not valid. Null if it is open. */
  private changedWhenShut: Set<number> | null = null
  private changeCount = 0

  constructor(
    readonly number: number,
    private readonly onDisk = nothingOnDisk,
  ) {}

  /** Returns a chapter that is shut. */
  static shut(number: number, summary: BlockSummary, onDisk: OnDisk): Chapter {
    const chapter = new Chapter(number, onDisk)
    chapter.merged = summary
    chapter.changedWhenShut = new Set()
    return chapter
  }

  /** The number of changes so far. A caller compares two of these numbers to see whether a block has changed. */
  get changes(): number {
    return this.changeCount
  }

  /** Whether `summary` returns at once, without joining groups. */
  get isJoined(): boolean {
    return this.merged !== null
  }

  get isEmpty(): boolean {
    return this.changedWhenShut === null && this.known.size === 0
  }

  get(block: number): BlockSummary | undefined {
    this.open()
    return this.known.get(block)
  }

  set(block: number, summary: BlockSummary): void {
    this.known.set(block, summary)
    this.changed(block)
  }

  delete(block: number): void {
    this.known.delete(block)
    this.changed(block)
  }

  /** Removes the summaries of the blocks from memory. All of them must be on disk. */
  shut(): void {
    this.summary()
    this.known.clear()
    this.changedWhenShut ??= new Set()
  }

  /** Returns the groups of all blocks, joined where they are alike. The first call after a change joins them. */
  summary(): BlockSummary {
    return (this.merged ??= joinedSummary(this.placedGroups()))
  }

  /** Returns the blocks at these places. If `places` is null, returns all blocks, in the order of their numbers. */
  blocks(places: readonly number[] | null): readonly Block[] {
    const isOpening = places === null || places.length > chapterSize.few
    if (isOpening) this.open()
    if (places === null) return [...this.known].sort(([one], [other]) => one - other)
    return places.flatMap((place) => this.blockAt(this.number * chapterSize.blocks + place))
  }

  private blockAt(block: number): readonly Block[] {
    const summary = this.known.get(block)
    if (summary !== undefined) return [[block, summary]]
    return this.changedWhenShut?.has(block) === false ? this.onDisk.read(block) : []
  }

  private changed(block: number): void {
    this.changeCount += 1
    this.merged = null
    this.changedWhenShut?.add(block)
  }

  private open(): void {
    const { changedWhenShut } = this
    if (changedWhenShut === null) return
    // If the disk refuses a read, the chapter stays shut.
    const blocks = this.onDisk.open(this)
    this.changedWhenShut = null
    for (const [block, summary] of blocks) {
      if (!changedWhenShut.has(block)) this.known.set(block, summary)
    }
  }

  private placedGroups(): readonly PlacedGroup[] {
    return this.blocks(null).flatMap(([block, summary]) =>
      summary.map((group) => ({ place: block % chapterSize.blocks, group })),
    )
  }
}

/** A group with the place of its block in the chapter. */
interface PlacedGroup {
  readonly place: number
  readonly group: DocumentGroup
}

interface Joined {
  count: number
  readonly cells: Cell[]
  readonly places: Set<number>
}

/** Joins groups until there are few enough, beginning with those that differ only at paths with many values. */
function joinedSummary(groups: readonly PlacedGroup[]): BlockSummary {
  const namings = namingsOf(groups)
  for (;;) {
    const joined = joinedBy(groups, namings)
    if (joined.length <= mostGroups) {
      return joined.map(({ count, cells, places }) => ({
        count,
        cells,
        places: placesOf(places),
      }))
    }
    namings.pop()
  }
}

/** Names the cell of one path. Groups are joined if these names are the same. */
type Naming = (cells: readonly Cell[]) => string

/**
 * Returns the ways to tell groups apart. The first ones compare whether groups have values at a path, because sweeps
 * look for that. The others compare the values of paths with few values. The path with the fewest values comes first.
 * In a chapter, a single job that waits has values of its own at most paths. If each of them made a group, there would
 * be more groups than blocks.
 */
function namingsOf(groups: readonly PlacedGroup[]): Naming[] {
  const paths = groups[0]?.group.cells.map((_, path) => path) ?? []
  const presences = paths.map(
    (path): Naming =>
      (cells) =>
        presenceOf(cells[path] ?? null),
  )
  const values = paths
    .map((path) => ({ path, count: countOfNames(groups, path) }))
    .filter(({ count }) => count > 1 && count <= mostValues)
    .sort((one, other) => one.count - other.count)
    .map(
      ({ path }): Naming =>
        (cells) =>
          nameOf(cells[path] ?? null),
    )
  return [...presences, ...values]
}

function countOfNames(groups: readonly PlacedGroup[], path: number): number {
  const names = new Set<string>()
  for (const { group } of groups) {
    names.add(nameOf(group.cells[path] ?? null))
    if (names.size > mostValues) break
  }
  return names.size
}

function joinedBy(groups: readonly PlacedGroup[], namings: readonly Naming[]): readonly Joined[] {
  const joined = new Map<string, Joined>()
  for (const { place, group } of groups) {
    const name = namings.map((naming) => naming(group.cells)).join()
    const before = joined.get(name)
    if (before === undefined) {
      joined.set(name, { count: group.count, cells: [...group.cells], places: new Set([place]) })
    } else join(before, group, place)
  }
  return [...joined.values()]
}

/** Says whether all, none or perhaps some documents of a group have a value. */
function presenceOf(cell: Cell): string {
  if (cell === null) return '?'
  const [low, high] = cell
  if (high === undefined) return ''
  return low === undefined ? '?' : '+'
}

/** Returns the single value of a cell as text. All cells without a single value get the same text. */
function nameOf(cell: Cell): string {
  if (cell === null || compareValues(cell[0], cell[1]) !== 0) return '~'
  return cell[0] === undefined ? '' : JSON.stringify(cell[0])
}

function join(joined: Joined, { count, cells }: DocumentGroup, place: number): void {
  joined.count += count
  joined.places.add(place)
  for (const [at, cell] of cells.entries()) joined.cells[at] = around(joined.cells[at] ?? null, cell)
}

/** Returns the smallest cell around two cells. */
function around(one: Cell, other: Cell): Cell {
  if (one === null || other === null) return null
  if (one === other) return one
  const [low, high] = one
  return [
    compareValues(other[0], low) < 0 ? other[0] : low,
    compareValues(other[1], high) > 0 ? other[1] : high,
  ]
}
