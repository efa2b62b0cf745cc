/**
 * # Operations
 *
 * Answers the questions of operators about a running system, for commands and for pages. This room starts no
 * role.
 *
 * - `leases.ts` and `unit-lag.ts` show the owner of each lease, and how far the lease is behind.
 * - `attention.ts` finds the jobs that need a person, and `attention-groups.ts` groups them and gives advice.
 *   `lacking/` finds the roles and the agents that jobs need and that no instance runs, and the names that may be misspelt.
 * - `audit.ts` reads the decisions of operators about all jobs, schedules, limits, pauses and instances.
 * - `check-module.ts` checks the workflows, agents and schedules of a module, without a store.
 * - `cost-report.ts` computes the request units of jobs and of instances without work.
 * - `usage.ts` reads the newest jobs, the leases and the throughput, and `usage-report.ts` computes the request units
 *   that they use. `cosmos-throughput.ts` reads the throughput.
 * - `job-pages.ts` names the pages of a list of jobs.
 * - `recommend-instances.ts` computes the number of instances that are needed, with pure functions.
 * - `scale-target.ts` defines the interface that changes the number of instances, warns if none is left, and says if the audit
 *   may lack the decision. `app-service.ts` changes the number on App Service, through `resource-manager.ts`.
 *
 * Start with `leases.ts`.
 */
export {
  estimateLag,
  containerNameProblem,
  listDeadLetters,
  listLeases,
  type EstimateRow,
  type Lag,
  type LeaseRow,
} from './leases.js'
export { readAttention, type FoundAttention } from './attention.js'
export { adviceOn, causeOfNotice, type AttentionGroup, type TriagedJob } from './attention-groups.js'
export { readAudit, type AuditPage, type AuditRow } from './audit.js'
export {
  checkModule,
  type CheckedLimit,
  type CheckedStep,
  type CheckedWorkflow,
  type CheckReport,
} from './check-module.js'
export { costReport, daysPerMonth, type CostReport } from './cost-report.js'
export { examine } from './examine.js'
export { earliest, instantOf, pageAfter, pageBefore } from './job-pages.js'
export type { UnitSelection } from './unit-selection.js'
export { standingSentence, standingWork, type StandingWork } from './lacking/standing-work.js'
export { definedLimit, isDefinedName, onlyInPartitions } from './lacking/defined-names.js'
export {
  isUnknownName,
  limitNote,
  misspeltNames,
  unknownLimit,
  unknownText,
} from './lacking/unknown-names.js'
export { appService } from './app-service.js'
export { calmPolicy, recommendInstances, type Sample, type ScalingPolicy } from './recommend-instances.js'
export { ResourceManager } from './resource-manager.js'
export { notRecorded, scaleWarnings, type ScaleTarget } from './scale-target.js'
export { mostUsageJobs, readUsage } from './usage.js'
export type { UsageReport } from './usage-report.js'
export { unitLag, type UnitLag } from './unit-lag.js'
