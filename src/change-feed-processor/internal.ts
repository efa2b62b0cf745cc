/** The names of this room that only other rooms see. */
export { inspect, type Inspection, type InspectionOptions } from './doctor/cosmos-inspection.js'
export { diagnose } from './doctor/diagnosis.js'
export type { Finding } from './doctor/finding.js'
export { feedStartsFor } from './feed/cosmos-sdk-copy.js'
export { CosmosChangeFeed } from './feed/cosmos-change-feed.js'
export { resolveOptions } from './options/options.js'
