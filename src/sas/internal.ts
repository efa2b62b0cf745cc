/** The names of this room that only other rooms see. */
export { isAgent } from './agents/agent.js'
export { isWorkflow } from './workflow/workflow.js'
export { processStates } from './model/documents.js'
export { durationMs } from './model/duration.js'
export { idleCharge, idleCost, jobCost, type CostQuestion } from './client/cost.js'
export { JobClient } from './client/job-client.js'
export {
  createAgents,
  createNotifier,
  createScheduler,
  createSupervisor,
  superviseOnce,
  type Unit,
  type UnitOptions,
} from './deployment-unit.js'
export { InProcessPath } from './in-process/in-process-path.js'
export { JobEndings } from './in-process/job-endings.js'
export { beginningHere, wakingReaders } from './in-process/waking-store.js'
export { CosmosReplyContainers } from './notifier/cosmos-reply-containers.js'
export type { NotifierSettings } from './notifier/notifier.js'
export { isReplyTo, replyChannel, replyToRule, type ReplyChannel } from './notifier/reply.js'
export { CosmosStateStore } from './store/cosmos-state-store.js'
export { unreadableJobs } from './store/unreadable-jobs.js'
