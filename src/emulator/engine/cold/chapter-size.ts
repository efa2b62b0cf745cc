/** The sizes of chapters. Tests make them smaller, because their documents are few. */
export const chapterSize = {
  /** The number of successive blocks in a chapter. */
  blocks: 64,
  /** The most chapters in memory whose blocks could be read from disk again. They take about 17 MB. */
  mostOpen: 64,
  /** The most blocks of a chapter that are read from disk without opening it. */
  few: 8,
}
