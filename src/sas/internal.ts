/** The additional names of this room that only other rooms see. */
export { alike } from './client/repair/migrate-options.js'
export { newInputWarnings } from './client/repair/input-warnings.js'
export { mostCancelPlans, readCancelPlans, type JobCancelPlan } from './client/repair/cancel-plans.js'
export { beginningInPartitions, isLimitOfJobs, jobKeyPrefix } from './gates/home.js'
export { agentOperations, isAgent, observed } from './agents/agent.js'
export { readAgentsReport, type AgentsReport } from './agents/agents-report.js'
export { itemsOperation, largeListOf, limitsOfItems } from './plan/item-jobs.js'
export { longestTimes } from './plan/longest-times.js'
export { conditionText } from './plan/template-text.js'
export { CosmosReplyContainers } from './notifier/cosmos-reply-containers.js'
export { isTaken } from './decisions/claim.js'
export { workOf } from './model/work.js'
export { CosmosJobQueries } from './store/cosmos/cosmos-job-queries.js'
export { rangeIdIn } from './store/cosmos/cosmos-batch.js'
export { CosmosStateStore } from './store/cosmos/cosmos-state-store.js'
export { createAgents, createNotifier, createScheduler, createSupervisor } from './deployment-unit.js'
export type { Unit, UnitOptions } from './role-unit.js'
export { superviseOnce } from './supervise-once.js'
export { timingShape } from '../change-feed-processor/internal.js'
export {
  costByRole,
  jobCharge,
  usualDocumentKilobytes,
  type JobShape,
  idleCharge,
  idleCost,
  jobCost,
  limitCost,
  tickCost,
  type CostQuestion,
} from './client/cost/cost.js'
export {
  isItemOfList,
  limitText,
  readJobShape,
  shapeOfItem,
  shapeOfWorkflow,
} from './client/cost/job-shape.js'
export { processStates, type JobDocument, type StepDocument } from './model/documents.js'
export { agentsShape, notifierShape, supervisorShape } from './unit-settings.js'
export {
  endingsOf,
  JobEndings,
  type EndHints,
  type JobAddress,
  type WakeUps,
} from './in-process/job-endings.js'
export {
  recordFleetDecision,
  refuseFleetTerms,
  type FleetDecisionTerms,
} from './fleet-decisions/fleet-decisions.js'
export { PauseBoard } from './pauses/pause-board.js'
export { schedule } from './decisions/schedule.js'
export { readers, type Reader } from './decisions/readers.js'
export { isReplyTo, replyChannel, replyToRule, type ReplyChannel } from './notifier/reply.js'
export { isWebhook } from './notifier/webhook.js'
export type { JobQueries } from './store/job-queries.js'
export type { DocumentAddress, StateStore, StateWrite, Stored } from './store/state-store.js'
export { InProcessPath } from './in-process/in-process-path.js'
export { unreadableJobs } from './store/unreadable-jobs.js'
export { emitDispatches } from './scheduler/job-events.js'
export {
  beginningElsewhere,
  beginningHere,
  wakingReaders,
  type Beginning,
} from './in-process/waking-store.js'
export { readScheduleTicks } from './schedules/schedule-ticks.js'
export { isSchedule } from './schedules/define-schedule.js'
export { isWorkflow, type Planned } from './workflow/workflow.js'
export { questionAt } from './client/questions.js'
export { answerPath } from './waiting/answer-links.js'
export { JobClient } from './client/job-client.js'
export { whatLacks } from './client/job.js'
export { readJobDetail, readJobDocuments } from './client/job-detail.js'
export { withoutSecretsOf } from './plan/hide-documents.js'
export { summaryOf } from './client/call-arguments.js'
export { clearable, triageParts, type TriageParts, type TriageTexts } from './client/triage/triage-texts.js'
export type { CancelPlan } from './decisions/operator/cancel-plan.js'
export { isSnoozed } from './decisions/operator/triage.js'
export { causeOf, causePattern } from './model/diagnostics.js'
export { waitKinds } from './store/filters/waiting-steps.js'
export { submitProblems } from './submission/submit-problems.js'
export { readTags, tagsByName } from './model/tags.js'
export { calledOperations, type CalledOperation } from './plan/called-operations.js'
export { jobDocumentId } from './model/document-ids.js'
export { decodeDelivered } from './model/delivered/decode-delivered.js'
export { largerThanOption } from './payloads/folder.js'
export { Payloads } from './payloads/payloads.js'
export { ticketsIn } from './model/values/ticket.js'
export { hashOf } from './plan/payload.js'
