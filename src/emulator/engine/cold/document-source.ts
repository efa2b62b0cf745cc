import type { KeptDocument } from '../values/version-fields.js'
import { chapterSize } from './chapter-size.js'

/** The number of documents in a block. */
export const documentsPerBlock = 256

/** Returns the block of a document, by its number. */
export function blockOf(number: number): number {
  return Math.floor(number / documentsPerBlock)
}

/** Returns the chapter of a block, by its number. A chapter is a number of successive blocks. */
export function chapterOf(block: number): number {
  return Math.floor(block / chapterSize.blocks)
}

/** Returns the blocks of a chapter. */
export function blocksInChapter(chapter: number): readonly number[] {
  return Array.from({ length: chapterSize.blocks }, (_, place) => chapter * chapterSize.blocks + place)
}

/** A change in the log of a partition. */
export interface LoggedChange {
  readonly number: number
  /** The position in the log, as `sequenceAt` returns it. */
  readonly sequence: number
}

/**
 * Finds and reads the documents that are on disk. It knows only what is durable, so the caller must first look
 * at the changes that are not on disk yet. Lists are read when they are iterated, and remain valid if documents
 * change meanwhile, but may then lack them. Throws a `Refusal` that names a record if that record is damaged.
 */
export interface DocumentSource {
  /** Returns the numbers of the documents with this key and id. May return others, too. */
  numbersOf(containerRid: string, keyText: string, id: string): readonly number[]
  /** Returns the numbers of the documents with this key. May return others, too. */
  numbersOfKey(containerRid: string, keyText: string): readonly number[]
  read(containerRid: string, number: number): KeptDocument | undefined
  /** Returns the refusal to throw if a list names a document that does not exist. */
  missing(containerRid: string, number: number): Error
  /** Yields the numbers of documents after a number, in order. */
  numbersAfter(containerRid: string, number: number): Iterable<number>
  /** Yields the changes that these ranges wrote, from the given LSN on, in order. */
  changesFrom(containerRid: string, rangeIds: readonly string[], lsn: number): Iterable<LoggedChange>
  /** Yields the numbers of the documents that expire up to this second, the earliest first. */
  expired(containerRid: string, second: number): Iterable<number>
  /** Yields the summaries of blocks from one to before another, in order. Each is valid for the documents on disk. */
  summaries(containerRid: string, from: number, to: number): Iterable<readonly [block: number, text: string]>
  /** Yields the summaries of chapters, in order. Each is valid for the summaries of its blocks on disk, which are complete. */
  chapters(containerRid: string): Iterable<readonly [chapter: number, text: string]>
}
