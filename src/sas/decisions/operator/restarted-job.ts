import { audited } from '../../model/audit.js'
import {
  restartSchema,
  type JobDocument,
  type Json,
  type LedgerEntry,
  type NoticeDocument,
  type StepDocument,
} from '../../model/documents.js'
import { jobDocumentId, stepDocumentId } from '../../model/document-ids.js'
import { betweenStates, deadline, withDerivedState } from '../../model/process-state.js'
import { holdsTicket } from '../../model/values/ticket.js'
import { toTemplate } from '../../model/values/to-template.js'
import { idempotencyKey } from '../../model/work.js'
import { isReported, receivedNotices } from '../notices.js'
import { pickUpWithinMs } from '../recover-job.js'
import { editOf, inputEditOf } from './input-edit.js'
import { type Standing, withoutTriage } from './request.js'
import type { Restart, RestartPlan } from './restart.js'

/** All documents of a restart. Its last write contains the job and its origin (I33). */
export interface Restarted {
  /** The job that was restarted, with the link to the new job. */
  readonly origin: JobDocument
  readonly job: JobDocument
  readonly steps: readonly StepDocument[]
  readonly received: readonly NoticeDocument[]
}

/** A restart that is possible, with the hash that shows whether a later command repeats it. */
export interface Restarting {
  readonly request: Restart
  readonly plan: RestartPlan
  readonly payloadHash: string
}

/** Returns the documents of a new job that begins with the carried steps, and of the job that it continues. */
export function restarted(standing: Standing, restarting: Restarting): Restarted {
  const { steps } = standing
  const { request, plan } = restarting
  const documents = [...steps.values()].map((step) => stepOf(step, restarting))
  const job = jobOf(standing, restarting, ledgerOf(standing, plan))
  const received = receivedNotices(job, standing.now)
  return { origin: originOf(standing, request, plan), job, steps: documents, received }
}

/**
 * Returns the job that was restarted. A job in Error is over now: what it had to undo belongs to the new job, so
 * it is Compensated.
 */
function originOf({ job, steps, now }: Standing, request: Restart, { kept }: RestartPlan): JobDocument {
  const { as, from, by, why, input, stepInput } = request
  const at = new Date(now).toISOString()
  const changes = [
    ...(input === undefined ? [] : [inputEditOf(job, input)]),
    ...(stepInput === undefined ? [] : [editOf(steps, new Map([[from, stepInput]])).edit]),
  ].flatMap((edit) => edit ?? [])
  const edit = changes.length === 0 ? {} : { edit: together(changes) }
  const linked: JobDocument = {
    ...job,
    schema: Math.max(job.schema, restartSchema),
    restartedAs: { jobId: as, from, ...(kept.length > 0 && { kept: [...kept] }) },
    audit: audited(job, { command: 'restart', stepId: from, at, by, why, as, ...edit }),
    operatedAtMs: now,
    fence: job.fence + 1,
  }
  if (job.processState !== 'Error') return linked
  return withDerivedState({
    ...linked,
    attention: null,
    ...withoutTriage(job),
    currentState: job.initialState,
    desiredState: job.initialState,
    compensation: { since: at, by, reason: `restarted from step ${from} as job ${as}`, thenRetry: false },
  })
}

type Edit = NonNullable<JobDocument['audit'][number]['edit']>

function together(edits: readonly Edit[]): Edit {
  return {
    changes: edits.flatMap(({ changes }) => changes),
    others: edits.reduce((sum, { others }) => sum + others, 0),
  }
}

function jobOf(
  { job: origin, now }: Standing,
  { request, plan, payloadHash }: Restarting,
  ledger: JobDocument['steps'],
): JobDocument {
  const { as, from, by, why, input = origin.input } = request
  const at = new Date(now).toISOString()
  const { restartedAs: _as, outputs: _outputs, result: _result, paused: _paused, ...own } = origin
  const {
    operatedAtMs: _operatedAtMs,
    hasTickets: _hasTickets,
    place: _place,
    planned: _planned,
    ...others
  } = own
  const { triage: _triage, otherTriages: _otherTriages, triageAudit: _triageAudit, ...kept } = others
  const undoesFirst = plan.undone.length > 0
  const reason = `undone before the job runs again from step ${from}: ${why}`
  return withDerivedState({
    ...kept,
    id: jobDocumentId(as),
    jobId: as,
    schema: Math.max(origin.schema, restartSchema),
    restartOf: { jobId: origin.jobId, from, at, by, why },
    currentState: undoesFirst ? betweenStates : origin.initialState,
    desiredState: undoesFirst ? origin.initialState : origin.targetState,
    compensation: undoesFirst ? { since: at, by, reason, thenRetry: true, keeps: [...plan.carried] } : null,
    // The generation that begins after the undo is not one of those that the workflow allows.
    maxGenerations: origin.maxGenerations + (undoesFirst ? 1 : 0),
    generation: 1,
    fence: 0,
    failureCount: 0,
    lockedBy: null,
    attention: null,
    diagnostics: [],
    audit: [],
    steps: ledger,
    notifySeq: isReported(origin, 'received') ? 1 : 0,
    input,
    ...(holdsTicket(input) ? { hasTickets: true } : {}),
    payloadHash,
    planHash: null,
    submittedAt: at,
    submittedAtMs: now,
    endByMs: null,
    endedAt: null,
    endedAtMs: null,
    ttl: -1,
    ...deadline(now + pickUpWithinMs),
  })
}

/**
 * Returns the ledger of the new job. While effects are undone, the steps between them are entered as skipped, so
 * that they preserve the order of the undos (I6).
 */
function ledgerOf({ job }: Standing, { carried, undone }: RestartPlan): JobDocument['steps'] {
  const asBefore = new Set([...carried, ...undone])
  const entries = job.stepIds.flatMap((stepId): [string, LedgerEntry][] => {
    const entry = job.steps[stepId]
    if (entry === undefined) return []
    if (asBefore.has(stepId)) return [[stepId, entry]]
    const isBetween = undone.length > 0 && (entry.dispatch > 0 || entry.state === 'Skipped')
    return [[stepId, { state: isBetween ? 'Skipped' : 'NotStarted', dispatch: 0 }]]
  })
  return Object.fromEntries(entries)
}

function stepOf(step: StepDocument, { request, plan }: Restarting): StepDocument {
  const { as, from, stepInput } = request
  const { stepId } = step
  const isAsBefore = plan.carried.includes(stepId) || plan.undone.includes(stepId)
  const carried = plan.carried.includes(stepId) ? carriedStep(step, as) : undoneStep(step, as)
  const own = isAsBefore ? carried : freshStep(step, as)
  const edited = stepId === from && stepInput !== undefined
  return edited ? { ...own, inputTemplate: toTemplate(stepInput, 'input') } : own
}

/** Returns a step with its past, and with the keys under which it acted (I34). */
function carriedStep(step: StepDocument, as: string): StepDocument {
  const { place: _place, asked: _asked, held: _held, ...kept } = step
  return {
    ...kept,
    id: stepDocumentId(as, step.stepId),
    jobId: as,
    schema: Math.max(step.schema, restartSchema),
    keyJobId: step.keyJobId ?? step.jobId,
    fence: step.fence + 1,
    firstBy: null,
    ttl: -1,
  }
}

/** Returns a step whose effects are undone first. What its attempts said stays with the other job. */
function undoneStep(step: StepDocument, as: string): StepDocument {
  return { ...carriedStep(step, as), diagnostics: [] }
}

/** Returns a step as it was submitted, with keys of the new job. An event that came early is kept. */
function freshStep(step: StepDocument, as: string): StepDocument {
  const { place: _place, asked: _asked, held: _held, round: _round, progress: _progress, ...rest } = step
  const {
    keyJobId: _keyJobId,
    hasTickets: _hasTickets,
    joinedFence: _joined,
    leftFence: _left,
    mayRunUntilMs: _until,
    returned: _returned,
    ...kept
  } = rest
  const { undo, undoTemplate, inputTemplate, initialState, dispatch, collect } = step
  return withDerivedState({
    ...kept,
    id: stepDocumentId(as, step.stepId),
    jobId: as,
    ...(holdsTicket([inputTemplate, undo?.inputTemplate ?? null]) ? { hasTickets: true } : {}),
    event: dispatch === 0 ? step.event : null,
    ...(collect === undefined || dispatch === 0 ? {} : { collect: { ...collect, events: [] } }),
    direction: 'do' as const,
    input: null as Json,
    output: null as Json,
    currentState: initialState,
    desiredState: initialState,
    undo: undo && {
      ...undo,
      inputTemplate: undoTemplate ?? undo.inputTemplate,
      input: null,
      failureCount: 0,
    },
    undoTemplate: null,
    notBeforeMs: null,
    dispatch: 0,
    attempt: 0,
    generation: 1,
    idempotencyKey: idempotencyKey({ jobId: as, stepId: step.stepId }, 1, 'do'),
    lateDispatches: 0,
    claim: null,
    outcome: null,
    mayHaveActed: false,
    owed: [],
    firstBy: null,
    lockedBy: null,
    fence: 0,
    failureCount: 0,
    diagnostics: [],
    attention: null,
    ttl: -1,
    ...deadline(null),
  })
}
