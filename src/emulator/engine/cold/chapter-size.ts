/** The number of successive blocks in a chapter. */
export const blocksPerChapter = 64

/** The most chapters in memory whose blocks could be read from disk again. They take about 17 MB. */
export const mostOpenChapters = 64
