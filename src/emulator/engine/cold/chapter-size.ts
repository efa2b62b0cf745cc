/** The sizes of chapters. Tests make them smaller, because their documents are few. */
export const chapterSize = {
  /** The number of successive blocks in a chapter. */
  blocks: 64,
  /**
   * The largest number of open chapters that could be read from disk again. At this number, they take about 17 MB of
   * memory.
   */
  mostOpen: 64,
  /** The largest number of blocks that a query reads from disk without opening their chapter. */
  few: 8,
}
