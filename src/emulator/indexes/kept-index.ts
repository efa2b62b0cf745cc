import { everyVersion, type Container, type DocumentVersion, type OrderedPath } from '../engine/index.js'
import { systemClock } from '../../platform/index.js'
import { DocumentIndex } from './document-index.js'

/** The work that one turn of the event loop may do. Counts instead of time keep a simulation repeatable. */
export interface SliceOfWork {
  readonly documents: number
  readonly bytes: number
}

/** Takes about 7 ms with documents of 1 KB. The pause after a slice takes 1 to 3 ms. */
const usualSlice: SliceOfWork = { documents: 512, bytes: 1_024 * 1_024 }

const wholeWork: SliceOfWork = { documents: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY }

/**
 * An index that follows a container. Writes only note what they change. `catchUp` reads the documents that the
 * index lacks, in the order of creation, and then applies the notes. It may stop after any document.
 *
 * The states are: filling (up to the document `reached`), then whole. In each of them, notes may be waiting. A
 * change of a document that the index has not reached needs no note.
 */
export class KeptIndex {
  readonly index: DocumentIndex
  /** The numbers of changed and removed documents. */
  private readonly changed = new Set<number>()
  private reached = 0
  private catching: Promise<void> | null = null
  private isDropped = false

  constructor(
    private readonly container: Container,
    paths: readonly OrderedPath[],
  ) {
    this.index = new DocumentIndex(paths, [])
  }

  /** The number of documents whose changes wait to be applied. */
  get noteCount(): number {
    return this.changed.size
  }

  /** Whether the index is being brought up to date in slices. */
  get isCatchingUp(): boolean {
    return this.catching !== null
  }

  /** Whether catching up takes more than one slice. */
  get isFarBehind(): boolean {
    const { documentCount, documentBytes } = this.container
    const unread = this.reached === Number.POSITIVE_INFINITY ? 0 : documentCount - this.index.size
    const lag = this.changed.size + Math.max(0, unread)
    const lagBytes = (lag * documentBytes) / Math.max(1, documentCount)
    return lag > usualSlice.documents || lagBytes > usualSlice.bytes
  }

  /** Notes the change or the removal of a document. */
  note(number: number): void {
    if (number <= this.reached) this.changed.add(number)
  }

  /** Does a slice of work. Returns true if the index is then up to date. */
  catchUp(slice: SliceOfWork = wholeWork): boolean {
    let { documents, bytes } = slice
    for (const version of this.unread()) {
      if (documents <= 0 || bytes <= 0) return false
      documents -= 1
      bytes -= version.bytes
      this.index.change(version.number, version)
      this.reached = version.number
    }
    this.reached = Number.POSITIVE_INFINITY
    for (const number of this.changed) {
      if (documents <= 0 || bytes <= 0) return false
      const version = this.container.numbered(number) ?? null
      documents -= 1
      bytes -= version?.bytes ?? 0
      this.index.change(number, version)
      this.changed.delete(number)
    }
    return true
  }

  /** Brings the index up to date in slices. Stops early if the index is dropped. */
  caughtUp(): Promise<void> {
    this.catching ??= this.catchUpInSlices().finally(() => {
      this.catching = null
    })
    return this.catching
  }

  drop(): void {
    this.isDropped = true
  }

  private async catchUpInSlices(): Promise<void> {
    const { indexes } = this.container
    // A split, a merge and new settings replace `indexes`. Nothing would then tell this index of changes.
    while (!this.isDropped && this.container.indexes === indexes) {
      if (this.catchUp(usualSlice)) return
      await systemClock.sleep(0)
    }
  }

  private unread(): Iterable<DocumentVersion> {
    return this.reached === Number.POSITIVE_INFINITY ? [] : everyVersion(this.container, this.reached)
  }
}
