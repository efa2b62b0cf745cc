/**
 * # Scheduler, Agent, Supervisor
 *
 * Turns changes of jobs and steps into the next writes.
 *
 * A **job** is one document with a **ledger** of its steps, each **step** is a document of its own, and all of them share
 * one logical partition, so that every transition is one transaction. Four deployment units read the same feed:
 *
 * - the **scheduler** claims a job, takes over what its steps report, dispatches the steps that became ready, ends it;
 * - the **agents** run the handler of every step that names them, under its deadline, and record the outcome on it;
 * - the **supervisor** waits for deadlines. A step that was not done in time, for whatever reason, is given back with
 *   one failure more and a higher fence; a step out of attempts gets what its `onExhausted` says. A job that stands still
 *   is taken from its holder, so that any scheduler looks at all of it again.
 * - the **notifier** tells submitters what was written for them in the job's own transactions (notices), in order, and
 *   operators what is flagged. It changes no job.
 *
 * Whatever sets it off, the way back is one: the job's `compensation` is set, and the scheduler undoes what was done, the
 * last first. Operators only write requests (`operate`); the scheduler performs them like everything else.
 *
 * Files named by a verb (`submit`, `schedule`, `compensate`, `settle`, `recover`, `operate`) are pure decisions, documents and the time in,
 * writes out. A shell that applies one always reads, decides, writes on condition of the etags it decided on, and on a
 * lost race reads again. Nothing is remembered that matters: whatever dies, the documents say how to go on.
 */
export { alertWebhook, type AlertSink } from './notifier/alert-sink.js'
export type { Alert } from './notifier/alert.js'
export type { AgentLog } from './agents/agent-log.js'
export {
  defineAgent,
  isAgent,
  type Agent,
  type AgentContext,
  type AgentHandler,
  type Operation,
} from './agents/agent.js'
export { all, any, equal, greater, not, present, type Condition } from './plan/condition.js'
export { CosmosReplyContainers } from './notifier/cosmos-reply-containers.js'
export { CosmosStateStore, type CosmosStateStoreOptions } from './store/cosmos-state-store.js'
export {
  createAgents,
  createNotifier,
  createScheduler,
  createSupervisor,
  superviseOnce,
  type Unit,
  type UnitOptions,
  type UnitTiming,
} from './deployment-unit.js'
export { idleCharge, idleCost, jobCost, type CostQuestion } from './client/cost.js'
export {
  processStates,
  type Attention,
  type AuditEntry,
  type Compensation,
  type Diagnostic,
  type JobDocument,
  type Json,
  type ProcessState,
  type StepDocument,
} from './model/documents.js'
export { durationMs, type Duration } from './model/duration.js'
export {
  CommandInvalid,
  CommandRefused,
  JobConflict,
  JobFailed,
  JobNotFound,
  JobUnreadable,
  StoreRefused,
  StoreUnavailable,
  SubmissionInvalid,
} from './model/errors.js'
export {
  type CommandOptions,
  type JobSummary,
  type ReleaseOptions,
  type ResendOptions,
  type ResubmitOptions,
} from './client/command-options.js'
export { JobClient, type JobClientOptions, type SubmitOptions } from './client/job-client.js'
export type { NotifierSettings } from './notifier/notifier.js'
export { JobEndings } from './in-process/job-endings.js'
export type { BulkOptions, BulkReport, JobSelection, SelectionFilter } from './client/job-selection.js'
export type { JobView, StepView } from './client/job-view.js'
export type { Job, JobResult } from './client/job.js'
export type { Plan, PlanStep } from './plan/plan.js'
export {
  isReplyTo,
  replyChannel,
  replyToRule,
  type Reply,
  type ReplyChannel,
  type ReplyContainers,
} from './notifier/reply.js'
export type { NoticeRetry } from './decisions/settle-notice.js'
export type { Bound, Reference } from './model/reference.js'
export type {
  ApplyResult,
  DocumentAddress,
  FlaggedJob,
  JobCounts,
  OverdueDocument,
  PartitionFeed,
  StateDocument,
  StateStore,
  StateWrite,
  Stored,
  UnsentNotice,
} from './store/state-store.js'
export type { JobFilter, NoticeFilter, PageEnd } from './store/job-filter.js'
export type { ForEachOptions } from './workflow/for-each.js'
export type { Step } from './workflow/plan-draft.js'
export type { OnExhausted, StepOptions, Undo } from './workflow/step-options.js'
export { Shortcut } from './in-process/shortcut.js'
export type { SweepResult } from './supervisor/supervisor.js'
export type { UndeliveredNotice } from './client/undelivered.js'
export { unreadableJobs, type UnreadableJob } from './store/unreadable-jobs.js'
export { beginningHere, wakingReaders } from './in-process/waking-store.js'
export {
  defineWorkflow,
  isWorkflow,
  WorkflowInvalid,
  type Alongside,
  type SubmissionDefaults,
  type Workflow,
  type WorkflowBuilder,
} from './workflow/workflow.js'
