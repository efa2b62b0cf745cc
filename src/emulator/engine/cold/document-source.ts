import type { KeptDocument } from '../values/version-fields.js'
import { chapterSize } from './chapter-size.js'

/** The number of documents in a block. */
export const documentsPerBlock = 256

/** Returns the number of the block that has the document with this number. */
export function blockOf(number: number): number {
  return Math.floor(number / documentsPerBlock)
}

/** Returns the number of the chapter that has this block. A chapter is `chapterSize.blocks` successive blocks. */
export function chapterOf(block: number): number {
  return Math.floor(block / chapterSize.blocks)
}

/** Returns the numbers of the blocks of a chapter. */
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
 * at the changes that are not on disk yet. A list is read while the caller goes through it. If documents change
 * meanwhile, the list remains valid, but may lack these documents. If a record is damaged, throws a `Refusal` that
 * names the record.
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
  /** Yields the summaries of the blocks from `from` on and before `to`. Each is valid for the documents on disk. */
  summaries(containerRid: string, from: number, to: number): Iterable<readonly [block: number, text: string]>
  /**
   * Yields the summaries of chapters, in order. If a chapter has one, all its blocks with documents have summaries on
   * disk, and the summary of the chapter is valid for these.
   */
  chapters(containerRid: string): Iterable<readonly [chapter: number, text: string]>
}
