import { chapterOf, chapterSize, type Container } from '../../engine/index.js'
import { chapterText, readChapter, readSummary, type BlockSummary } from './block-summary.js'
import { Chapter } from './chapter.js'

/** The number of summaries of blocks that take as much time to write as one summary of a chapter. */
const blocksLikeChapter = 4

/**
 * The chapters of the known blocks of a container. The summary of a chapter is written when the summaries of all its
 * blocks are on disk. From then on, memory needs the summaries of the blocks only while queries look at them.
 */
export class KeptChapters {
  private readonly known = new Map<number, Chapter>()
  /** The chapters whose summary is not on disk. */
  private readonly unsaved = new Set<Chapter>()
  /** The open chapters that may be shut. Their summaries are all on disk. The one that opened first comes first. */
  private readonly closable = new Set<Chapter>()

  constructor(
    private readonly container: Container,
    /** Tells summaries over the same paths from others. */
    private readonly name: string,
  ) {}

  /** Returns the chapters that have blocks, in the order of their numbers. */
  inOrder(): readonly Chapter[] {
    return [...this.known.values()]
      .filter(({ isEmpty }) => !isEmpty)
      .sort((one, other) => one.number - other.number)
  }

  /** Takes the summary of a chapter from disk. Returns false if the summary has other paths. */
  take(number: number, text: string): boolean {
    if (this.known.has(number)) return true
    const summary = readChapter(this.name, text)
    if (summary === null) return false
    this.known.set(number, Chapter.shut(number, summary, this.onDisk))
    return true
  }

  get(block: number): BlockSummary | undefined {
    return this.known.get(chapterOf(block))?.get(block)
  }

  set(block: number, summary: BlockSummary): void {
    const number = chapterOf(block)
    let chapter = this.known.get(number)
    if (chapter === undefined) this.known.set(number, (chapter = new Chapter(number, this.onDisk)))
    chapter.set(block, summary)
    this.noteChange(chapter)
  }

  delete(block: number): void {
    const chapter = this.known.get(chapterOf(block))
    if (chapter === undefined) return
    chapter.delete(block)
    this.noteChange(chapter)
  }

  get hasUnsaved(): boolean {
    return this.unsaved.size > 0
  }

  /**
   * Writes the next summary of a chapter that is not on disk. All blocks of the chapter must be known, and their
   * summaries must be on disk. Returns how much work this was, as a number of blocks.
   */
  saveNext(): number {
    const [chapter] = this.unsaved
    return this.write(chapter)
  }

  /** Writes the summary of the chapter of a block, under the same conditions as `saveNext`. */
  saveOf(block: number): number {
    return this.write(this.known.get(chapterOf(block)))
  }

  private write(chapter: Chapter | undefined): number {
    if (chapter === undefined || !this.unsaved.has(chapter)) return 0
    if (chapter.isEmpty) {
      this.unsaved.delete(chapter)
      this.known.delete(chapter.number)
      return 1
    }
    const text = chapterText(this.name, chapter.summary())
    this.unsaved.delete(chapter)
    const { changes, number } = chapter
    const stored = (): void => {
      if (chapter.changes === changes) this.noteClosable(chapter)
    }
    const { rid: containerRid, journal } = this.container
    journal.append([{ kind: 'chapter', containerRid, chapter: number, text, stored }])
    return blocksLikeChapter
  }

  private noteChange(chapter: Chapter): void {
    this.closable.delete(chapter)
    this.unsaved.add(chapter)
  }

  private noteClosable(chapter: Chapter): void {
    this.closable.add(chapter)
    if (this.closable.size <= chapterSize.mostOpen) return
    const [first] = this.closable
    if (first === undefined) return
    this.closable.delete(first)
    first.shut()
  }

  private readonly onDisk = {
    open: (chapter: Chapter) => {
      const first = chapter.number * chapterSize.blocks
      const blocks = this.read(first, first + chapterSize.blocks)
      if (!this.unsaved.has(chapter)) this.noteClosable(chapter)
      return blocks
    },
    read: (block: number) => this.read(block, block + 1),
  }

  private read(from: number, to: number): readonly (readonly [number, BlockSummary])[] {
    const texts = this.container.cold?.summaries(from, to) ?? []
    return Array.from(texts).flatMap(([block, text]) => {
      const summary = readSummary(this.name, text)
      return summary === null ? [] : [[block, summary] as const]
    })
  }
}
