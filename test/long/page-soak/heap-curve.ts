import { median } from '../../bench/figure.js'

/** Growth that is neither more than this share nor more than this size is noise. */
const [noisyShare, noisyBytes] = [0.15, 6e5]
const width = 7

/** The heaps of the views and of the server, sample by sample, which are printed as a table. */
export class HeapCurve {
  private readonly samples: (readonly number[])[] = []

  constructor(
    private readonly names: readonly string[],
    private readonly print: (line: string) => void,
  ) {
    this.print(['', ...names, 'changes'].map((name) => name.padStart(width)).join(''))
  }

  /** Keeps and prints the bytes of each heap, after `progress`. */
  add(progress: string, bytes: readonly number[], changes: number): void {
    this.samples.push(bytes)
    const cells = [progress, ...bytes.map((size) => (size / 1e6).toFixed(1)), String(changes)]
    this.print(cells.map((cell) => cell.padStart(width)).join(''))
  }

  /** Returns the names of the heaps that still grow in the second half. */
  growing(): readonly string[] {
    return this.names.filter((_, index) => grows(this.samples.map((bytes) => bytes[index] ?? 0)))
  }
}

/** Compares the medians of the third and of the last quarter. */
function grows(bytes: readonly number[]): boolean {
  const quarter = Math.floor(bytes.length / 4)
  if (quarter === 0) return false
  const [before, after] = [bytes.slice(2 * quarter, 3 * quarter), bytes.slice(-quarter)].map((part) =>
    median([...part]),
  )
  const growth = (after ?? 0) - (before ?? 0)
  return growth > noisyBytes && growth > noisyShare * (before ?? 0)
}
