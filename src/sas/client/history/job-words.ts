import { decisionsOf } from '../../decisions/operator/triage.js'
import type { AuditEntry, JobDocument } from '../../model/documents.js'
import { begunInJob, doneInJob } from '../../model/planned/planned-steps.js'
import { attemptBegan } from './step-words.js'
import { differs, gained, otherFields, quoted, timeText, type Told } from './words.js'

/** The most steps of a ledger that one change names. */
const mostSteps = 10

/** Says in plain words what changed in the document of a job. `before` is null for the first version. */
export function jobWords(before: JobDocument | null, after: JobDocument): Told {
  if (before === null) return created(after)
  const decisions = gained(decisionsOf(before), decisionsOf(after))
  const reports = gained(before.diagnostics, after.diagnostics)
  const what = [
    ...decisions.map(decisionText),
    ...stateText(before, after),
    ...pauseText(before, after),
    ...undoText(before, after),
    ...reports.map(({ message }) => quoted(message)),
    ...flagText(before, after),
    ...ledgerText(before, after),
    ...begunText(before, after),
    ...doneText(before, after),
  ]
  const by =
    decisions[0]?.by ??
    reports[0]?.by ??
    (before.attention === null ? after.attention?.by : undefined) ??
    after.lockedBy ??
    before.lockedBy
  return { what: what.length === 0 ? [otherFields(before, after)] : what, by }
}

function created(job: JobDocument): Told {
  const { restartOf, workflow, stepIds } = job
  const how = restartOf === undefined ? '' : ` as the restart of ${restartOf.jobId} from ${restartOf.from}`
  const steps = `${stepIds.length} ${stepIds.length === 1 ? 'step' : 'steps'}`
  const what = [`submitted${how}: workflow ${workflow} with ${steps}`, ...begunText(null, job)]
  return { what, by: restartOf?.by ?? null }
}

export function decisionText({ command, stepId, by, why }: AuditEntry): string {
  if (command === 'triage') return `${by} triaged the problem: ${quoted(why)}`
  return `${by} decided: ${command}${stepId === null ? '' : ` ${stepId}`}, because ${quoted(why)}`
}

/** Tells which first attempts have begun only in the job. */
function begunText(before: JobDocument | null, after: JobDocument): string[] {
  const earlier = new Set(before === null ? [] : begunInJob(before).map(({ stepId }) => stepId))
  return begunInJob(after)
    .filter(({ stepId }) => !earlier.has(stepId))
    .map((step) => `${step.stepId}: ${attemptBegan(step).join()}`)
}

/** Tells which first attempts have succeeded only in the job. */
function doneText(before: JobDocument, after: JobDocument): string[] {
  const earlier = new Set(doneInJob(before).map(({ stepId }) => stepId))
  const done = doneInJob(after).filter(({ stepId }) => !earlier.has(stepId))
  return done.map(({ stepId }) => `${stepId}: attempt 1 succeeded`)
}

function stateText(before: JobDocument, after: JobDocument): string[] {
  const { processState: state, lockedBy, generation, endedAt } = after
  return [
    ...(state === before.processState ? [] : [`state ${before.processState} → ${state}`]),
    ...(lockedBy === before.lockedBy || endedAt !== null ? [] : [driverText(lockedBy)]),
    ...(generation === before.generation ? [] : [`generation ${generation} began`]),
    ...(endedAt === null || before.endedAt !== null ? [] : [`ended, after ${tookText(after)}`]),
  ]
}

function driverText(lockedBy: string | null): string {
  return lockedBy === null ? 'given back, so that any scheduler may take it' : `driven by ${lockedBy}`
}

function tookText({ submittedAtMs, endedAtMs }: JobDocument): string {
  const ms = Math.max(0, (endedAtMs ?? submittedAtMs) - submittedAtMs)
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`
}

function pauseText({ paused: before }: JobDocument, { paused: after }: JobDocument): string[] {
  if (after && !before) return [`paused by ${after.by}: ${quoted(after.why)}`]
  return before && !after ? ['no longer paused'] : []
}

function undoText({ compensation: before }: JobDocument, { compensation: after }: JobDocument): string[] {
  if (after === null || before !== null) return []
  return [`the undo began (${after.by}): ${quoted(after.reason)}`]
}

function flagText({ attention: before }: JobDocument, { attention: after }: JobDocument): string[] {
  if (!differs(before, after)) return []
  if (after === null) return ['no longer flagged']
  const step = after.stepId === null ? '' : ` at step ${after.stepId}`
  return [`flagged as ${after.kind}${step} since ${timeText(after.since)}: ${quoted(after.message)}`]
}

function ledgerText({ steps: before }: JobDocument, { steps: after }: JobDocument): string[] {
  const changed = Object.entries(after).filter(([stepId, { state }]) => before[stepId]?.state !== state)
  const named = changed
    .slice(0, mostSteps)
    .map(([stepId, { state }]) => `${stepId} is ${state} (was ${before[stepId]?.state ?? 'unknown'})`)
  const others = changed.length - named.length
  return others === 0 ? named : [...named, `and ${others} more steps`]
}
