import {
  documentsPerBlock,
  type Container,
  type DocumentVersion,
  type PathSteps,
} from '../../engine/index.js'
import { valuesAt, type Row } from './block-summary.js'

/** The most documents whose values are kept. */
const mostKept = 16_384

/**
 * The values of documents, as their last write gave them, until the summary of their block is made. So these documents need not
 * be read and parsed again.
 */
export class WrittenValues {
  private readonly values = new Map<number, readonly unknown[]>()
  private readonly mayKeep: boolean

  constructor(private readonly paths: readonly PathSteps[]) {
    // The service replaces the values of its own properties in what clients write.
    this.mayKeep = !paths.some(([name]) => typeof name === 'string' && name.startsWith('_'))
  }

  added({ number, given }: DocumentVersion): void {
    if (given === null || !this.mayKeep || this.values.size >= mostKept) return
    this.values.set(number, valuesAt(this.paths, given))
  }

  removed(number: number): void {
    this.values.delete(number)
  }

  /** Returns the rows of a block, and forgets their values. Parses the other documents without keeping the result. */
  takeRows(container: Container, block: number): readonly Row[] {
    const rows: Row[] = []
    for (let place = 0; place < documentsPerBlock; place += 1) {
      const number = block * documentsPerBlock + place
      const written = this.values.get(number)
      const document = written === undefined ? container.numbered(number)?.seen : undefined
      const values = written ?? (document && valuesAt(this.paths, document))
      if (values !== undefined) rows.push({ place, values })
      this.values.delete(number)
    }
    return rows
  }
}
