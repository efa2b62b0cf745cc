/** What other rooms of this package use of the processor, and the package does not export. */
export { FeedHints } from './feed/feed-hints.js'
export type { ProcessorInternals } from './options/options.js'
export { timingShape } from './options/timing.js'
