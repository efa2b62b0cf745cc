import {
  blockOf,
  chapterSize,
  blocksInChapter,
  chapterOf,
  documentsPerBlock,
  type ColdDocuments,
  type Container,
  type ContainerDefinition,
  type DocumentFollower,
  type DocumentVersion,
  type PathSteps,
} from '../../engine/index.js'
import { systemClock } from '../../../platform/index.js'
import {
  lacksPlaces,
  readSummary,
  singlePaths,
  summaryOfRows,
  summaryText,
  versionsOf,
  type BlockSummary,
} from './block-summary.js'
import type { Chapter } from './chapter.js'
import { KeptChapters } from './kept-chapters.js'
import { WrittenValues } from './written-values.js'

/** The most blocks without a summary that a query reads at once. */
const fewBlocks = 2

/** The number of summaries that one turn of the event loop reads from disk. */
const readAtATime = 500

/** The number of later changes after which a block counts as quiet. */
const quietAfter = 4_000

/**
 * The summaries of the documents of a container on disk, over the paths that its indexing policy names one by one. A
 * block is the documents with 256 successive numbers. Its summary tells a query whether it has to read the block.
 *
 * A change of a document removes the summary of its block from memory. The transaction that writes the change to disk
 * also removes the summary there. So a summary on disk is valid for the documents on disk. This object knows only the
 * changes since it was created. For this reason, it reads the summaries only when the store has all earlier changes.
 *
 * After that read, the object is open. From then on, a block is unknown only if it has no valid summary. A query makes
 * unknown blocks known (`caughtUp`). `saveNext` writes the summary of a block that has not changed for a while. If the
 * summary of a chapter is on disk, the summaries of its blocks are read only when a query looks at them (see
 * `KeptChapters`).
 */
export class KeptSummaries implements DocumentFollower {
  private readonly known: KeptChapters
  private readonly unknown = new Set<number>()
  /** The blocks whose summary is not on disk, each with the value of `changes` at its last change, in this order. */
  private readonly unsaved = new Map<number, number>()
  /** The blocks whose summary older code wrote. It is valid, and is written again when the store is idle. */
  private readonly coarse = new Set<number>()
  /** The blocks whose summary was written before this object was open. The store may still have older summaries. */
  private readonly early = new Set<number>()
  private readonly values: WrittenValues
  private changes = 0
  private isOpen = false
  /** Whether other settings have replaced this object. Then it does not see later changes. */
  private isReplaced = false
  private opening: Promise<void> | null = null
  private catching: Promise<void> | null = null
  /** Tells summaries over these paths from others. */
  private readonly name: string

  private constructor(
    private readonly container: Container,
    private readonly definition: ContainerDefinition,
    readonly paths: readonly PathSteps[],
  ) {
    this.name = JSON.stringify(paths)
    this.values = new WrittenValues(paths)
    this.known = new KeptChapters(container, this.name)
  }

  /** Returns the summaries of a container. Null if it has no documents on disk, or its policy names no single paths. */
  static of(container: Container): KeptSummaries | null {
    if (container.cold === null) return null
    const { definition, indexes } = container
    const { lasting } = indexes
    const place = lasting.findIndex((follower) => follower instanceof KeptSummaries)
    const before = lasting[place]
    const isCurrent = before instanceof KeptSummaries && before.definition === definition
    const kept = isCurrent ? before : new KeptSummaries(container, definition, singlePaths(definition))
    if (!isCurrent) lasting.splice(place < 0 ? lasting.length : place, 1, kept)
    if (!isCurrent && before instanceof KeptSummaries) before.isReplaced = true
    return kept.paths.length === 0 ? null : kept
  }

  get containerRid(): string {
    return this.container.rid
  }

  /** Returns the place of a path in the cells of a group, or -1. */
  placeOf(steps: PathSteps): number {
    return this.paths.findIndex(
      (path) => path.length === steps.length && path.every((step, at) => step === steps[at]),
    )
  }

  added(version: DocumentVersion): void {
    this.changed(blockOf(version.number))
    this.values.added(version)
  }

  removed({ number }: DocumentVersion): void {
    this.changed(blockOf(number))
    this.values.removed(number)
  }

  /** Whether all blocks are known, or the few unknown ones can be read at once. */
  get isReady(): boolean {
    return this.isOpen && this.unknown.size <= fewBlocks
  }

  /** Makes all blocks known, in slices between which other work runs. */
  caughtUp(): Promise<void> {
    this.catching ??= this.catchUpInSlices().finally(() => {
      this.catching = null
    })
    return this.catching
  }

  /** Makes all blocks known at once. Returns false if the store on disk lacks changes that this object has not seen. */
  catchUp(): boolean {
    if (!this.isOpen) {
      if (this.container.journal.applied() !== null) return false
      for (const _ of this.reading()) continue
    }
    for (const block of this.unknown) this.summarize(block)
    return true
  }

  /** Returns the chapters of the known blocks, in the order of their numbers. */
  chapters(): readonly Chapter[] {
    return this.known.inOrder()
  }

  /** Yields the documents of a block at these places, or all if `places` is null. Expired ones are included. */
  documentsOf(block: number, places: readonly number[] | null = null): Iterable<DocumentVersion> {
    return versionsOf(this.container, block, places)
  }

  /** Whether a block is quiet, or this object has not read the summaries on disk yet. */
  get hasWork(): boolean {
    if (this.isReplaced) return false
    if (!this.isOpen) return true
    const [oldest] = this.unsaved.values()
    return oldest !== undefined && this.changes - oldest >= quietAfter
  }

  /** Whether some summary is not on disk. */
  get hasUnsaved(): boolean {
    return !this.isReplaced && (this.unsaved.size > 0 || (this.isOpen && this.known.hasUnsaved))
  }

  /** Reads the summaries on disk, unless this is done already. */
  opened(): Promise<void> {
    if (this.isOpen) return Promise.resolve()
    this.opening ??= this.open().finally(() => {
      this.opening = null
    })
    return this.opening
  }

  /**
   * Writes the summary of the block that has not changed for the longest time. If the summaries of all blocks of its
   * chapter are then on disk, writes the summary of the chapter, too. Returns how much work this was, as a number of
   * blocks.
   */
  saveNext(): number {
    if (this.isReplaced) return 0
    const [block] = this.unsaved.keys()
    if (block === undefined) return this.isOpen ? this.known.saveNext() : 0
    const known = this.coarse.has(block) ? undefined : this.known.get(block)
    const summary = known ?? this.summarize(block)
    this.unsaved.delete(block)
    if (!this.isOpen) this.early.add(block)
    // A block without documents needs no summary, because no query looks for it.
    if (summary.length > 0) {
      const text = summaryText(this.name, summary)
      this.container.journal.append([{ kind: 'summary', containerRid: this.container.rid, block, text }])
    }
    // Until this object has read the summaries on disk, it lacks the summaries of other blocks.
    const isLast = this.isOpen && !this.hasUnsavedIn(chapterOf(block))
    return isLast ? 1 + this.known.saveOf(block) : 1
  }

  private changed(block: number): void {
    this.changes += 1
    this.known.delete(block)
    this.unknown.add(block)
    this.unsaved.delete(block)
    this.unsaved.set(block, this.changes)
  }

  private async catchUpInSlices(): Promise<void> {
    await this.opened()
    while (!this.isReady) {
      const [block] = this.unknown
      if (block === undefined) return
      this.summarize(block)
      await systemClock.sleep(0)
    }
  }

  private async open(): Promise<void> {
    await this.container.journal.applied()
    for (const _ of this.reading()) await systemClock.sleep(0)
    // Otherwise the first query would join the summaries of all chapters in one turn.
    for (const chapter of this.chapters()) {
      if (chapter.isJoined) continue
      chapter.summary()
      await systemClock.sleep(0)
    }
  }

  /** Reads the summaries on disk, and finds the blocks without one. Pauses after each slice. */
  private *reading(): Generator<void, void, undefined> {
    const { cold } = this.container
    if (cold === null) return
    let next = 0
    let read = 0
    for (const [chapter, text] of cold.chapters()) {
      const first = chapter * chapterSize.blocks
      // A change that this object has seen is newer than the record.
      if (this.hasUnsavedIn(chapter) || !this.known.take(chapter, text)) continue
      yield* this.readingBlocks(cold, next, first)
      next = first + chapterSize.blocks
      read += 1
      if (read % readAtATime === 0) yield
      if (this.isOpen) return
    }
    yield* this.readingBlocks(cold, next, Number.POSITIVE_INFINITY)
    this.isOpen = true
    this.early.clear()
  }

  /** Reads the summaries of the blocks from `from` on and before `to`. Pauses after each slice. */
  private *readingBlocks(cold: ColdDocuments, from: number, to: number): Generator<void, void, undefined> {
    let next = from
    let read = 0
    for (const [block, text] of cold.summaries(from, to)) {
      this.noteBlocks(next, block)
      next = block + 1
      if (!this.isNewer(block)) this.take(block, text)
      read += 1
      if (read % readAtATime === 0) yield
      if (this.isOpen) return
    }
    this.noteBlocks(next, to)
  }

  private hasUnsavedIn(chapter: number): boolean {
    const isAny = this.unsaved.size + this.early.size > 0
    return isAny && blocksInChapter(chapter).some((block) => this.isNewer(block))
  }

  /** Whether the summary of a block on disk may be older than its state in memory. */
  private isNewer(block: number): boolean {
    return this.unsaved.has(block) || this.early.has(block)
  }

  private take(block: number, text: string): void {
    const summary = readSummary(this.name, text)
    if (summary === null) this.noteUnknown(block)
    else this.known.set(block, summary)
    if (summary === null || !lacksPlaces(summary)) return
    this.coarse.add(block)
    this.unsaved.set(block, this.changes)
  }

  /** Notes as unknown the blocks with documents, from `from` on and before `to`, if they have no summary. */
  private noteBlocks(from: number, to: number): void {
    let block = from
    while (block < to) {
      const first = this.container.cold?.firstAfter(block * documentsPerBlock - 1) ?? null
      if (first === null || blockOf(first) >= to) return
      this.noteUnknown(blockOf(first))
      block = blockOf(first) + 1
    }
  }

  private noteUnknown(block: number): void {
    if (this.known.get(block) !== undefined || this.unsaved.has(block)) return
    this.unknown.add(block)
    this.unsaved.set(block, this.changes)
  }

  private summarize(block: number): BlockSummary {
    const summary = summaryOfRows(this.paths, this.values.takeRows(this.container, block))
    this.unknown.delete(block)
    this.coarse.delete(block)
    if (summary.length > 0) this.known.set(block, summary)
    return summary
  }
}
