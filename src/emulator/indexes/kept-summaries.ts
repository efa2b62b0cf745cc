import {
  blockOf,
  documentsPerBlock,
  everyVersion,
  type Container,
  type ContainerDefinition,
  type DocumentFollower,
  type DocumentVersion,
  type PathSteps,
} from '../engine/index.js'
import { systemClock } from '../../platform/index.js'
import { readSummary, summaryOf, summaryText, type BlockSummary } from './block-summary.js'

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
 * A change of a document removes the summary of its block from memory, and in the same transaction from disk. So
 * a summary on disk is valid for the documents on disk. This object knows only the changes since it was created. So it
 * reads the summaries only when all earlier changes are on disk.
 *
 * After that read, the object is open. Then each block is known, or unknown after a change. A query makes unknown
 * blocks known (`caughtUp`). `saveNext` writes the summary of a block that has not changed for a while.
 */
export class KeptSummaries implements DocumentFollower {
  private readonly known = new Map<number, BlockSummary>()
  private readonly unknown = new Set<number>()
  /** The blocks whose summary is not on disk, each with the value of `changes` at its last change, in this order. */
  private readonly unsaved = new Map<number, number>()
  private changes = 0
  private isOpen = false
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
  }

  /** Returns the summaries of a container. Null if its documents are in memory, or its policy names no single paths. */
  static of(container: Container): KeptSummaries | null {
    if (container.cold === null) return null
    const { definition, indexes } = container
    const { lasting } = indexes
    const place = lasting.findIndex((follower) => follower instanceof KeptSummaries)
    const before = lasting[place]
    if (before instanceof KeptSummaries && before.definition === definition) return before.usable
    const created = new KeptSummaries(container, definition, singlePaths(definition))
    lasting.splice(place < 0 ? lasting.length : place, 1, created)
    return created.usable
  }

  private get usable(): this | null {
    return this.paths.length === 0 ? null : this
  }

  added({ number }: DocumentVersion): void {
    this.changed(blockOf(number))
  }

  removed({ number }: DocumentVersion): void {
    this.changed(blockOf(number))
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

  /** Makes all blocks known at once. Returns false if changes that this object has not seen are not on disk yet. */
  catchUp(): boolean {
    if (!this.isOpen) {
      if (this.container.journal.settled() !== null) return false
      for (const _ of this.reading()) continue
    }
    for (const block of this.unknown) this.summarize(block)
    return true
  }

  /** Returns the known blocks in their order. */
  blocks(): readonly (readonly [block: number, summary: BlockSummary])[] {
    return [...this.known].sort(([one], [other]) => one - other)
  }

  /** Yields the documents of a block, with those that have expired. */
  *documentsOf(block: number): Generator<DocumentVersion, void, undefined> {
    for (const version of everyVersion(this.container, block * documentsPerBlock - 1)) {
      if (blockOf(version.number) > block) return
      yield version
    }
  }

  /** Whether a block is quiet, or the summaries on disk are still to be read. */
  get hasWork(): boolean {
    if (!this.isOpen) return true
    const [oldest] = this.unsaved.values()
    return oldest !== undefined && this.changes - oldest >= quietAfter
  }

  /** Whether some summary is not on disk. */
  get hasUnsaved(): boolean {
    return this.unsaved.size > 0
  }

  /** Reads the summaries on disk, unless this is done already. */
  opened(): Promise<void> {
    this.opening ??= this.open().finally(() => {
      this.opening = null
    })
    return this.opening
  }

  /** Writes the summary of the block that has not changed for the longest time. */
  saveNext(): void {
    const [block] = this.unsaved.keys()
    if (block === undefined) return
    const summary = this.known.get(block) ?? this.summarize(block)
    this.unsaved.delete(block)
    // A block without documents needs no summary, because no query looks for it.
    if (summary.length === 0) return
    const text = summaryText(this.name, summary)
    this.container.journal.append([{ kind: 'summary', containerRid: this.container.rid, block, text }])
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
    await this.container.journal.settled()
    for (const _ of this.reading()) await systemClock.sleep(0)
  }

  /** Reads the summaries on disk, and finds the blocks without one. Pauses after each slice. */
  private *reading(): Generator<void, void, undefined> {
    const { cold } = this.container
    if (cold === null || this.isOpen) return
    let next = 0
    let left = readAtATime
    for (const [block, text] of cold.summaries(-1)) {
      this.noteBlocks(next, block)
      next = block + 1
      // A change that this object has seen is newer than the record.
      if (!this.unsaved.has(block)) this.take(block, readSummary(this.name, text))
      left -= 1
      if (left > 0) continue
      yield
      if (this.hasOpened()) return
      left = readAtATime
    }
    this.noteBlocks(next, Number.POSITIVE_INFINITY)
    this.isOpen = true
  }

  /** Whether `catchUp` has read the summaries during a pause. */
  private hasOpened(): boolean {
    return this.isOpen
  }

  private take(block: number, summary: BlockSummary | null): void {
    if (summary === null) this.noteUnknown(block)
    else this.known.set(block, summary)
  }

  /** Notes the blocks from one to another that have documents, as unknown. */
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
    if (this.known.has(block) || this.unsaved.has(block)) return
    this.unknown.add(block)
    this.unsaved.set(block, this.changes)
  }

  private summarize(block: number): BlockSummary {
    const summary = summaryOf(this.paths, seenIn(this.documentsOf(block)))
    this.unknown.delete(block)
    if (summary.length > 0) this.known.set(block, summary)
    return summary
  }
}

/** Parses documents without keeping the result. */
function* seenIn(versions: Iterable<DocumentVersion>): Generator<DocumentVersion['seen'], void, undefined> {
  for (const { seen } of versions) yield seen
}

/** Returns the paths that a policy names one by one, such as `/type/?`. */
function singlePaths({ indexingPolicy }: ContainerDefinition): readonly PathSteps[] {
  const { mode, includedPaths } = indexingPolicy
  if (mode === 'none') return []
  return includedPaths
    .filter(({ steps, ending }) => ending === '?' && steps.every((step) => typeof step === 'string'))
    .map(({ steps }) => steps)
    .slice(0, mostPaths)
}

/** A policy with more paths is meant for other purposes. */
const mostPaths = 24
