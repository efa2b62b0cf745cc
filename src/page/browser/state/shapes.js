/**
 * The answers of the API. `src/page/api/shapes.ts` declares them.
 *
 * @typedef {'Pending' | 'Processing' | 'Processed' | 'Error' | 'Compensating' | 'Compensated'} State
 *
 * @typedef {{ kind: string, since: string, by: string, message: string, stepId: string | null }} Attention
 *
 * @typedef {{ at: string, by: string, attempt: number, message: string }} Diagnostic
 *
 * @typedef {{ jobId: string, from: string, kept?: string[] }} RestartedAs
 *
 * @typedef {{ jobId: string, orderId: string, partitionKey: string, workflow: string, state: State,
 *   submittedAt: string, endedAt: string | null, stepsDone: number, stepCount: number,
 *   attention: Attention | null, triage: Triage | null, tags: Record<string, string>, restartedAs: RestartedAs | null,
 *   paused: { since: string, by: string, why: string, with?: { kind: string, name: string } } | null }} JobSummary
 *
 * @typedef {{ stepId: string, kind: string, actor: string, action: string, direction: 'do' | 'undo',
 *   state: State | 'Skipped' | 'Failed' | 'TimedOut' | 'Refused', attempt: number, failureCount: number, maxFailures: number,
 *   completeBy: string | null, startedAt: string | null, endedAt: string | null, changedAt: string | null,
 *   notBefore: string | null, dependsOn: string[], input: unknown,
 *   inputTemplate: unknown, output: unknown, event: { at: string, by?: string, note?: string } | null,
 *   asks: boolean, question: Question | null, round: { number: number, atMost: number } | null,
 *   collect: { count: number, events: { key: string, payload: unknown, at: string }[] } | null,
 *   progress: { done?: number, of?: number, note?: string, at: string } | null,
 *   outcome: { kind: string, at: string, by: string } | null, idempotencyKey: string,
 *   lockedBy: string | null, attention: Attention | null, mayHaveActed: boolean,
 *   undo: { operation: string, whenUncertain: boolean } | null, previous: unknown, cost: ComputedCost,
 *   diagnostics: Diagnostic[] }} Step
 *
 * @typedef {{ writes: number, charge: number }} ComputedCost
 *
 * @typedef {{ jobId: string, stepId: string, orderId: string, workflow: string, partitionKey: string,
 *   title: string, assignees: string[], since: string, expiresAt: string, form: unknown }} Question
 *
 * @typedef {{ questions: Question[], isCut: boolean }} Questions
 *
 * @typedef {{ changes: { stepId: string | null, path: string, before: string | null, after: string | null }[],
 *   others: number }} Edit
 *
 * @typedef {{ command: string, stepId: string | null, at: string, by: string, why: string,
 *   edit?: Edit }} Decision
 *
 * @typedef {{ seq: number, kind: string, state: string, at: string, sentAt: string | null,
 *   failureCount: number, attention: { since: string, message: string } | null,
 *   receiver: string }} Notice
 *
 * @typedef {{ job: object, steps: ({ stepId?: string })[], charge: number,
 *   others: { documents: { id: string, document: object | null }[], isCut: boolean } | null }} Documents
 *
 * @typedef {{ stepId: string | null, kind: string, from: string, to: string | null, what: string,
 *   isExact: boolean }} Interval
 *
 * @typedef {{ jobId: string, orderId: string, partitionKey: string, workflow: string,
 *   workflowVersion: number, state: State, why: string, priority: number, lockedBy: string | null,
 *   submittedAt: string, endedAt: string | null, completeBy: string | null, generation: number,
 *   input: unknown, attention: Attention | null, triage: Triage | null, advice: { advice: string, command: string } | null,
 *   compensation: { since: string, by: string, reason: string, thenRetry: boolean } | null,
 *   paused: { since: string, by: string, why: string, with?: { kind: string, name: string } } | null,
 *   restartedAs: RestartedAs | null,
 *   restartOf: { jobId: string, from: string, at: string, by: string, why: string } | null,
 *   result: unknown, tags: Record<string, string>, diagnostics: Diagnostic[], audit: Decision[], notices: Notice[], cost: ComputedCost, intervals: Interval[], steps: Step[] }} Job
 *
 * @typedef {{ workflow: string, kind: string, stepId: string | null, message: string, since: string,
 *   jobIds: string[], triaged: TriagedJob[], filter: Record<string, string> | null, advice: string, command: string }} Group
 *
 * @typedef {{ assignee: string | null, note: string | null, snoozedUntil: string | null, by: string, at: string }} Triage
 *
 * @typedef {Triage & { jobId: string }} TriagedJob
 *
 * @typedef {{ groups: Group[], jobs: number, notices: number, isStanding: boolean, snoozed: number,
 *   nextSnoozeInMs: number | null }} Found
 *
 * @typedef {{ processorName: string, leaseToken: string, owner: string | null, isExpired: boolean,
 *   version: string | null, continuationToken: string | null, renewedAt: string, ageMs: number | null,
 *   requestedBy: string | null, clockOffsetMs: number | null, isClockWrong: boolean,
 *   agents: AgentsReport | null,
 *   notRead: string | null }} Lease
 *
 * @typedef {{ id: string, documentId: string, leaseToken: string, at: string,
 *   error: string }} DeadLetter
 *
 * @typedef {{ slots: number, busy: number, openCircuits: string[],
 *   limited: { agent: string, slots: number, busy: number }[] }} AgentsReport
 *
 * @typedef {{ counts: Record<string, number>, isByRole: boolean, problem: string | null }} Wanted
 *
 * @typedef {{ processorName: string, leaseToken: string, owner: string | null, estimatedLag: number,
 *   oldestAgeMs: number | null }} LeaseLag
 *
 * @typedef {{ leases: LeaseLag[], notEstimated: { processorName: string, leases: number, reason: string }[],
 *   standing: { waiting: number, missing: string[], command: string } | null }} Lag
 *
 * @typedef {{ rule: string, severity: 'problem' | 'hint', processorName: string | null,
 *   observation: string, advice: string, agent?: string }} Finding
 *
 * @typedef {{ store: string, storeArguments: string[], by: string, byArguments: string[], module: string | null,
 *   roles: string[], may: string[], fleetOptions: string[] | null,
 *   workflows: { name: string, findsJobId: boolean }[], now: string }} About
 *
 * @typedef {{ isDryRun: boolean, done: string[], refused: { jobId: string, reason: string }[],
 *   isStopped?: boolean, warnings?: string[], restarted?: Restarted, migrated?: Migrated[], otherPlans?: number, plans?: CancelPlan[] }} Report
 *
 * @typedef {{ jobId: string, stopped: string[], undone: string[], kept: string[], uncertain: string[] }} CancelPlan
 *
 * @typedef {{ jobId: string, partitionKey: string, from: string, carried: string[], again: string[], undone: string[],
 *   kept: string[], repeated: string[], isNew: boolean }} Restarted
 *
 * @typedef {{ jobIds: string[], changed: string[], kept: string[], edit: Edit }} Migrated
 *
 * @typedef {{ kind: 'workflow' | 'agent' | 'key', name: string, since: string, by: string, why: string }} Pause
 *
 * @typedef {{ paused: Pause[], jobs: JobSummary[], isCut: boolean }} Pauses
 *
 * @typedef {{ jobId: string, partitionKey?: string }} JobName
 *
 * @typedef {{ jobs: JobSummary[], steps: { jobId: string, partitionKey: string, stepId: string, state: string }[],
 *   isCut: boolean }} Changes
 *
 * @typedef {{ writeRequests: number, writeCharge: number, feedCharge: number, totalCharge: number }} JobCost
 *
 * @typedef {{ jobs: { together: JobCost, apart: JobCost }, tickCharge: number, limitCharge: number,
 *   idle: { polls: number, renewals: number, looksAtLeases: number, sweeps: number, pauses: number, total: number },
 *   meanCharge: number, monthlyCharge: number,
 *   workflows: { name: string, steps: number, together: number, apart: number }[] }} CostReport
 *
 * @typedef {{ since: string, until: string, jobs: number, ended: number, isCut: boolean, charge: number,
 *   assumed: { isTogether: boolean, instances: number, partitions: number },
 *   workflows: { workflow: string, ended: number, perHour: number, steps: number, jobCharge: number, charge: number }[],
 *   roles: { role: string, writes: number, changes: number, idle: number, total: number }[],
 *   feeds: { role: string, changes: number, polls: number, leases: number }[],
 *   forecast: { mean: number, busiest: number, idle: number, busiestHour: string | null, share: number | null,
 *     jobsPerHour: number | null, throughput: { requestUnits: number | null, kind: string, of: string | null,
 *     reason: string | null } } }} UsageReport
 *
 * @typedef {{ since: string, rows: { operation: string, requests: number, charge: number }[] }} ChargeRows
 *
 * @typedef {{ user: string, requests: number, charge: number }} UserRow
 *
 * @typedef {ChargeRows & { host: ChargeRows & { users: UserRow[] } | null }} ChargeReport
 *
 * @typedef {{ at: string, by: string, command: string, why: string, about: 'job' | 'schedule' | 'limit' | 'workflow' | 'agent' | 'fleet', id: string,
 *   partitionKey: string, workflow: string, stepId: string | null, target: string | null }} AuditRow
 *
 * @typedef {{ jobs: JobSummary[], next: string | null, unreadable: number, charge: number,
 *   warnings: string[] }} JobPage
 *
 * @typedef {{ rows: AuditRow[], next: string | null }} AuditPage
 *
 * @typedef {{ id: string, command: string, filter: Record<string, string> | null, by: string, startedAt: string, endedAt: string | null,
 *   state: 'running' | 'done' | 'stopped' | 'failed', reached: number, total: number | null, refused: number,
 *   message: string }} Operation
 *
 * @typedef {{ id: string, workflow: string, cron: string | null, timeZone: string | null,
 *   everyMs: number | null, overlap: string, catchUpMs: number, jitterMs: number, nextDue: string | null,
 *   last: { due: string, jobId: string } | null, submitted: number, missed: number, skipped: number,
 *   passed: { reason: string, from: string, to: string, count: number, message: string }[],
 *   paused: { since: string, by: string, why: string, with?: { kind: string, name: string } } | null,
 *   audit: { command: string, at: string, by: string, why: string }[] }} Schedule
 *
 * A limit that steps share.
 *
 * @typedef {{ key: string, atOnce: number | null, perSecond: number | null, burst: number | null,
 *   set: { by: string, at: string, why: string } | null, inside: { jobId: string, stepId: string }[],
 *   isPaused: boolean, waiting: number, groups: { group: string, waiting: number }[] }} Limit
 *
 * @typedef {{ schedule: Schedule, next: string[],
 *   previous: { due: string, jobId: string, state: State | null }[] }} ScheduleTicks
 */
export const states = /** @type {const} */ ([
  'Pending',
  'Processing',
  'Processed',
  'Error',
  'Compensating',
  'Compensated',
])
