/**
 * # Operations
 *
 * What operators ask about a running system, for commands and pages alike: who owns which lease and how far behind it is
 * (`leases.ts`, `unit-lag.ts`), how many instances are needed (`recommend-instances.ts`, pure), and how App Service
 * changes their number (`app-service.ts`, by `resource-manager.ts`). Nothing here starts a role.
 */
export { estimateLag, listLeases, type EstimateRow, type Lag, type LeaseRow } from './leases.js'
export { examine } from './examine.js'
export type { UnitSelection } from './unit-selection.js'
export { standingText, standingWork, type StandingWork } from './standing-work.js'
export { appService } from './app-service.js'
export { calmPolicy, recommendInstances, type Sample, type ScalingPolicy } from './recommend-instances.js'
export { ResourceManager } from './resource-manager.js'
export type { ScaleTarget } from './scale-target.js'
export { unitLag, type UnitLag } from './unit-lag.js'
