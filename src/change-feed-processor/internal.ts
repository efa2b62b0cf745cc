/** Further exports of this room, for other rooms only. */
export type { ProcessorInternals } from './options/options.js'
export { inspect, type Inspection, type InspectionOptions } from './doctor/cosmos-inspection.js'
export { diagnose } from './doctor/diagnosis.js'
export type { Finding } from './doctor/finding.js'
export { feedStartsFor } from './feed/cosmos-sdk-copy.js'
export { CosmosChangeFeed } from './feed/cosmos-change-feed.js'
export { FeedHints } from './feed/feed-hints.js'
export { timingShape } from './options/timing.js'
