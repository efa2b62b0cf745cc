/** The sizes of chapters. Tests make them smaller, because their documents are few. */
export const chapterSize = {
  /** The number of successive blocks in a chapter. */
  blocks: 64,
  /** The most open chapters whose summaries are all on disk. So many chapters take about 17 MB of memory. */
  mostOpen: 64,
  /** The most blocks that a query reads from disk without opening their chapter. */
  few: 8,
}
