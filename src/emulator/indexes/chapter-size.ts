/** The number of successive blocks in a chapter. */
export const blocksPerChapter = 64
