/**
 * The answers of the API. `src/page/api/shapes.ts` declares them.
 *
 * @typedef {'Pending' | 'Processing' | 'Processed' | 'Error' | 'Compensating' | 'Compensated'} State
 *
 * @typedef {{ kind: string, since: string, by: string, message: string, stepId: string | null }} Attention
 *
 * @typedef {{ at: string, by: string, attempt: number, message: string }} Diagnostic
 *
 * @typedef {{ jobId: string, orderId: string, partitionKey: string, workflow: string, state: State,
 *   submittedAt: string, endedAt: string | null, stepsDone: number, stepCount: number,
 *   attention: Attention | null }} JobSummary
 *
 * @typedef {{ stepId: string, kind: string, actor: string, action: string, direction: 'do' | 'undo',
 *   state: State | 'Skipped', attempt: number, failureCount: number, maxFailures: number,
 *   completeBy: string | null, notBefore: string | null, dependsOn: string[], input: unknown,
 *   inputTemplate: unknown, output: unknown, event: { at: string } | null,
 *   outcome: { kind: string, at: string, by: string } | null, idempotencyKey: string,
 *   lockedBy: string | null, attention: Attention | null, mayHaveActed: boolean,
 *   diagnostics: Diagnostic[] }} Step
 *
 * @typedef {{ changes: { stepId: string, path: string, before: string | null, after: string | null }[],
 *   others: number }} Edit
 *
 * @typedef {{ command: string, stepId: string | null, at: string, by: string, why: string,
 *   edit?: Edit }} Decision
 *
 * @typedef {{ seq: number, kind: string, state: string, at: string, sentAt: string | null,
 *   failureCount: number, attention: { since: string, message: string } | null,
 *   receiver: string }} Notice
 *
 * @typedef {{ jobId: string, orderId: string, partitionKey: string, workflow: string,
 *   workflowVersion: number, state: State, why: string, priority: number, lockedBy: string | null,
 *   submittedAt: string, endedAt: string | null, completeBy: string | null, generation: number,
 *   input: unknown, attention: Attention | null, advice: { advice: string, command: string } | null,
 *   compensation: { since: string, by: string, reason: string, thenRetry: boolean } | null,
 *   diagnostics: Diagnostic[], audit: Decision[], notices: Notice[], steps: Step[] }} Job
 *
 * @typedef {{ workflow: string, kind: string, stepId: string | null, message: string, since: string,
 *   jobIds: string[], advice: string, command: string }} Group
 *
 * @typedef {{ groups: Group[], jobs: number, notices: number, isStanding: boolean }} Found
 *
 * @typedef {{ processorName: string, leaseToken: string, owner: string | null, isExpired: boolean,
 *   continuationToken: string | null, renewedAt: string, ageMs: number | null,
 *   notRead: string | null }} Lease
 *
 * @typedef {{ processorName: string, leaseToken: string, owner: string | null, estimatedLag: number,
 *   oldestAgeMs: number | null }} LeaseLag
 *
 * @typedef {{ leases: LeaseLag[], notEstimated: { processorName: string, leases: number, reason: string }[],
 *   standing: { waiting: number, missing: string[], command: string } | null }} Lag
 *
 * @typedef {{ rule: string, severity: 'problem' | 'hint', processorName: string | null,
 *   observation: string, advice: string }} Finding
 *
 * @typedef {{ store: string, storeArguments: string[], by: string,
 *   workflows: { name: string, findsJobId: boolean }[], now: string }} About
 *
 * @typedef {{ isDryRun: boolean, done: string[], refused: { jobId: string, reason: string }[] }} Report
 *
 * @typedef {{ jobId: string, partitionKey?: string }} JobName
 */
export const states = /** @type {const} */ ([
  'Pending',
  'Processing',
  'Processed',
  'Error',
  'Compensating',
  'Compensated',
])
