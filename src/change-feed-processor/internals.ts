/** What other rooms of this package use of the processor, and the package does not export. */
export { FeedHints, type FeedHintListener } from './feed/feed-hints.js'
export type { ProcessorInternals } from './options/options.js'
export { leaseExpiration, timingShape } from './options/timing.js'
