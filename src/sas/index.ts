/**
 * # Scheduler, Agent, Supervisor
 *
 * Turns changes of jobs and steps into the next writes.
 *
 * A **job** is one document with a **ledger** of its steps. Each **step** is a separate document. The job and
 * its steps share one logical partition, so every transition is one transaction. Four deployment units read
 * the same feed:
 *
 * - The **scheduler** claims a job, copies the outcomes of its steps into the ledger, dispatches the steps
 *   that became ready, and ends the job.
 * - The **agents** run the handler of every step that names them, under the step's deadline, and record the
 *   outcome on the step.
 * - The **supervisor** waits for deadlines. If a step is not done in time, for any reason, the supervisor
 *   counts a failure, raises the step's fence and makes the step ready for another attempt. If no attempts
 *   are left, the supervisor flags, parks or delays the step, as the step's `onExhausted` says. If the job
 *   must be undone, the scheduler does this. If a job makes no progress, the supervisor takes the job from
 *   its scheduler, so that any scheduler can take the job and examine all of it again.
 * - The **notifier** sends the submitter of a job, in order, the notices that the job's own transactions
 *   wrote. It alerts operators to flagged jobs, and changes no job.
 *
 * A job is undone in the same way whatever the cause: its `compensation` is set, and the scheduler undoes the
 * done steps, the last step first (`decisions/compensate.ts`). An undo that fails permanently is flagged like
 * any other step (`decisions/give-up.ts`). Operators only write requests (`operate`), and the scheduler
 * performs them.
 *
 * Folders: `model/` and `plan/` define the stored data. `store/` has the state container and its Cosmos
 * adapter. `waiting/` has the steps that wait for a time or a person. `decisions/` has pure functions, which
 * receive documents and the time and return the writes. Users define jobs with `workflow/` and their times
 * with `schedules/`, `submission/` writes a new job, and `client/` has the functions that users and operators
 * call. `scheduler/`, `agents/`, `supervisor/` and `notifier/` are the four units. `in-process/` connects
 * scheduler, agents and clients of one process, and `timing/` does work when it is due. `items/` makes
 * the items of large lists jobs. `gates/` has the limits that steps share, and `pauses/` the pauses of workflows and
 * agents. `fleet-decisions/` records what operators decided about instances. `payloads/` puts
 * large values into a payload store, and documents contain tickets in their place.
 *
 * The code that applies a decision reads, decides, and writes only if the etags are unchanged. If another
 * write came first, the code reads again. Memory holds only data that may be lost, because after any crash
 * the documents show how to continue.
 *
 * `decisions/readers.ts` says which documents each role must read, and which roles a write wakes.
 *
 * Start with `model/documents.ts` for the documents, then read `decisions/schedule.ts` and
 * `decisions/settle.ts`. `deployment-unit.ts` creates each role, and `role-unit.ts` runs it on a change feed
 * processor.
 */
export {
  defineAgent,
  type Agent,
  type AgentContext,
  type AgentHandler,
  type AgentHandlers,
  type AgentOptions,
  type Operation,
  type OperationCall,
} from './agents/agent.js'
export type { AgentLog } from './agents/agent-log.js'
export {
  defineWorkflow,
  type Alongside,
  type SubmissionDefaults,
  type Workflow,
  type WorkflowBuilder,
  type WorkflowOptions,
} from './workflow/workflow.js'
export type { AskOptions } from './workflow/ask.js'
export type { CollectOptions, WaitOptions } from './workflow/wait-for.js'
export type { JsonSchema, ZodSchema } from './waiting/form.js'
export type { ForEachOptions } from './workflow/for-each.js'
export type { ForEachJobOptions, ItemsResult } from './workflow/each-job.js'
export type { ItemFailure } from './plan/item-jobs.js'
export type { Step, StepOutcome } from './model/values/step-handle.js'
export { text } from './model/values/text-template.js'
export {
  defineSchedule,
  ScheduleInvalid,
  type Schedule,
  type ScheduleOptions,
  type ScheduleTick,
} from './schedules/define-schedule.js'
export type { PassedRow, ScheduleView } from './schedules/schedule-view.js'
export type { BackfillOptions, BackfillReport, Schedules, ScheduleSet } from './client/schedules.js'
export type { OnExhausted, StepOptions, Undo } from './workflow/step-options.js'
export type { Limit } from './gates/limit-options.js'
export type { JobLimit } from './workflow/limits.js'
export type { OperationLimits } from './agents/operation-limits.js'
export type { LimitCommandOptions, Limits, LimitView, PausedKey } from './gates/limits.js'
export type { LimitRules } from './gates/rules.js'
export type { PauseCommandOptions, Pauses, PauseTarget, PauseView } from './client/pauses/pauses.js'
export type { RepeatOptions } from './workflow/repeat.js'
export type { SleepOptions } from './workflow/sleep.js'
export { condition, type Condition } from './plan/condition.js'
export type { Reference, ValueOf, ValueOrReference } from './model/values/reference.js'
export type { Duration, DurationRange, Retry } from '../platform/index.js'
export type { Json } from './model/values/json.js'
export type { JobClient } from './client/job-client.js'
export type { SubmitOptions } from './client/submission-request.js'
export type { InputSchema } from './workflow/input-schema.js'
export type { Tags } from './model/tags.js'
export type { Job, JobResult, ResultOf, ViewOptions } from './client/job.js'
export type { JobView, Raised, StepView } from './client/job-view.js'
export type {
  HistoryChange,
  HistoryDocument,
  HistoryDocuments,
  HistoryMoment,
  HistoryOptions,
  JobHistory,
  StepAttempt,
  StepAttempts,
} from './client/history/job-history.js'
export type {
  Attention,
  AuditEntry,
  Compensation,
  Diagnostic,
  JobPause,
  Pause,
  InputChange,
  InputEdit,
  NoticeKind,
  ProcessState,
  Progress,
  RestartedAs,
  RestartOf,
  Triage,
} from './model/readable-parts.js'
export type {
  CommandOptions,
  JobSummary,
  ReleaseOptions,
  ResendOptions,
  ResubmitOptions,
  ResumeOptions,
  ScheduleChangeOptions,
  ScheduleCommandOptions,
} from './client/command-options.js'
export type {
  BulkMigrateReport,
  BulkOptions,
  BulkReport,
  JobSelection,
  SelectionFilter,
} from './client/job-selection.js'
export type { UnknownName } from './store/filters/unknown-names.js'
export type { MigratedAlike, MigrateOptions, MigrateReport } from './client/repair/migrate-options.js'
export type {
  AfterRestart,
  RestartOptions,
  RestartPlan,
  RestartReport,
} from './client/repair/restart-options.js'
export type { TriageOptions } from './client/triage/triage-options.js'
export type { UndeliveredNotice } from './client/undelivered.js'
export type { AnswerOptions, OpenQuestion } from './client/questions.js'
export { AnswerLinks, type AnswerLinkOptions, type LinkedQuestion } from './waiting/answer-links.js'
export type { JobFilter, NoticeFilter, PageEnd, QuestionFilter } from './store/filters/job-filter.js'
export type { WaitKind } from './store/filters/waiting-steps.js'
export type { JobCounts } from './store/job-queries.js'
export type { UnreadableJob } from './store/unreadable-jobs.js'
export {
  CommandInvalid,
  CommandRefused,
  JobConflict,
  JobFailed,
  JobNotFound,
  JobUnreadable,
  PayloadDamaged,
  PayloadStoreMissing,
  PayloadUnavailable,
  ScheduleNotFound,
  StepNotFound,
  StoreRefused,
  StoreUnavailable,
  SubmissionInvalid,
  WorkflowInvalid,
} from './model/errors.js'
export { folder } from './payloads/folder.js'
export type { PayloadOwner, PayloadStore, StoredPayload } from './payloads/payload-store.js'
export { alertWebhook, type AlertSink } from './notifier/alert-sink.js'
export type { Alert } from './notifier/alert.js'
export type { ProcessorTiming } from '../change-feed-processor/index.js'
export type { AgentsSettings, NotifierSettings, SupervisorSettings } from './unit-settings.js'
export type { SweepResult } from './supervisor/supervisor.js'
