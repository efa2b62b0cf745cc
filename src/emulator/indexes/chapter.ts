import { compareValues } from '../query/values/values.js'
import { blocksPerChapter } from './chapter-size.js'
import { mostPlaces, type BlockSummary, type Cell, type DocumentGroup } from './block-summary.js'

/** The most groups of a chapter. A chapter whose blocks differ more has no summary, so queries look at its blocks. */
const mostGroups = 96

export function chapterOf(block: number): number {
  return Math.floor(block / blocksPerChapter)
}

/**
 * The known summaries of successive blocks, and one summary of them all, which tells a query whether it has to look at
 * the blocks. Otherwise each query would look at each block of the container.
 */
export class Chapter {
  private readonly known = new Map<number, BlockSummary>()
  /** Undefined if a block has changed since, and null if there is none. */
  private merged: BlockSummary | null | undefined = undefined

  constructor(readonly number: number) {}

  get size(): number {
    return this.known.size
  }

  get(block: number): BlockSummary | undefined {
    return this.known.get(block)
  }

  set(block: number, summary: BlockSummary): void {
    this.known.set(block, summary)
    this.merged = undefined
  }

  delete(block: number): void {
    if (this.known.delete(block)) this.merged = undefined
  }

  /** Computes the summary, so that the next query need not. */
  prepare(): void {
    if (this.merged === undefined) this.merged = this.merge()
  }

  /** The groups of all blocks, joined where they are alike. Null if they are too many. */
  get summary(): BlockSummary | null {
    this.prepare()
    return this.merged ?? null
  }

  /** Returns the blocks at these places, or all blocks if there is no list, in their order. */
  blocks(places: readonly number[] | null): readonly (readonly [block: number, summary: BlockSummary])[] {
    if (places === null) return [...this.known].sort(([one], [other]) => one - other)
    return places.flatMap((place) => {
      const block = this.number * blocksPerChapter + place
      const summary = this.known.get(block)
      return summary === undefined ? [] : [[block, summary] as const]
    })
  }

  private merge(): BlockSummary | null {
    const joined = new Map<string, Joined>()
    for (const [block, summary] of this.blocks(null)) {
      for (const group of summary) {
        const name = group.cells.map(nameOf).join()
        const before = joined.get(name)
        if (before === undefined) {
          if (joined.size === mostGroups) return null
          joined.set(name, {
            count: group.count,
            cells: [...group.cells],
            places: new Set([block % blocksPerChapter]),
          })
        } else join(before, group, block % blocksPerChapter)
      }
    }
    return [...joined.values()].map(({ count, cells, places }) => ({
      count,
      cells,
      places: places.size > mostPlaces ? null : [...places],
    }))
  }
}

interface Joined {
  count: number
  readonly cells: Cell[]
  readonly places: Set<number>
}

/** Returns a text that is the same for two cells with the same single value, and for all other cells. */
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
