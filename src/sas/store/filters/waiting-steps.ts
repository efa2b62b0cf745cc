import type { JobDocument, ProcessState } from '../../model/documents.js'

/** What a step of a job can wait for. */
export type WaitKind = 'question' | 'event' | 'time' | 'retry' | 'limit'

export const waitKinds = [
  'question',
  'event',
  'time',
  'retry',
  'limit',
] as const satisfies readonly WaitKind[]

/** The states of jobs whose steps can wait. In the other states, only an operator lets a job go on. */
export const waitingStates = ['Pending', 'Processing', 'Compensating'] as const satisfies ProcessState[]

/** The steps under way that a filter means. With both fields, a step of this agent must wait for this. */
export interface StepFilter {
  readonly waitingFor?: WaitKind | undefined
  readonly agent?: string | undefined
}

/** A step that waits, or a job that waits before its first step, as a query returns it. */
export interface WaitingStep {
  readonly pk: string
  readonly jobId: string
  /** Missing if the job itself waits at a limit. */
  readonly stepId?: string
  readonly dispatch?: number
}

const isDue = 'c.completeByMs > 0'
// The supervisor counts a reported failure at the end of the pause after it.
const isBetweenTries = "(IS_STRING(c.lockedBy) AND c.outcome.kind = 'failed')"
const failedUndo = "(c.direction = 'undo' AND c.undo.failureCount > 0)"

/** Returns the types of the documents that can wait. A job itself waits only at its limits. */
export function waitingTypes(kind: WaitKind | undefined): readonly string[] {
  return kind === 'limit' ? ['sas.step', 'sas.job'] : ['sas.step']
}

/** The conditions of queries for steps that wait. An index finds the steps with a deadline or a question. */
const waitConditions: Readonly<Record<WaitKind, string>> = {
  question: 'IS_DEFINED(c.asked.since)',
  event: `${isDue} AND c.kind = 'waitFor' AND NOT IS_DEFINED(c.question) AND IS_NULL(c.event)`,
  time: `${isDue} AND c.kind = 'sleep'`,
  retry:
    `${isDue} AND c.kind = 'operation' AND ` +
    `((c.direction = 'do' AND c.failureCount > 0) OR ${failedUndo} OR ${isBetweenTries})`,
  limit: `${isDue} AND (c.type = 'sas.job' OR c.kind = 'operation') AND IS_STRING(c.place.since)`,
}

/** Returns the condition of a query for the steps of a filter, which names the agent `@agent`. */
export function stepCondition({ waitingFor, agent }: StepFilter): string {
  const waits = waitingFor === undefined ? `${isDue} AND c.kind = 'operation'` : waitConditions[waitingFor]
  return agent === undefined ? waits : `${waits} AND c.actor = @agent`
}

/** Checks {@link stepCondition} in a store without queries. */
export function isStepOf(
  { waitingFor, agent }: StepFilter,
  step: Readonly<Record<string, unknown>>,
): boolean {
  if (agent !== undefined && step['actor'] !== agent) return false
  if (waitingFor !== undefined) return isWaitingFor(waitingFor, step)
  return Number(step['completeByMs']) > 0 && step['kind'] === 'operation'
}

/** Returns the condition of a step in the words of {@link waitConditions}, for a store without queries. */
function isWaitingFor(kind: WaitKind, step: Readonly<Record<string, unknown>>): boolean {
  const { completeByMs, asked, event, question, direction, failureCount, undo } = step
  if (kind === 'question') return partOf(asked, 'since') !== undefined
  if (typeof completeByMs !== 'number' || completeByMs <= 0) return false
  if (kind === 'time') return step['kind'] === 'sleep'
  if (kind === 'event') return step['kind'] === 'waitFor' && question === undefined && event === null
  if (kind === 'limit')
    return (
      (step['type'] === 'sas.job' || step['kind'] === 'operation') &&
      typeof partOf(step['place'], 'since') === 'string'
    )
  if (
    step['kind'] === 'operation' &&
    typeof step['lockedBy'] === 'string' &&
    partOf(step['outcome'], 'kind') === 'failed'
  )
    return true
  const failures = direction === 'undo' ? partOf(undo, 'failureCount') : failureCount
  return step['kind'] === 'operation' && Number(failures) > 0
}

function partOf(parent: unknown, name: string): unknown {
  return typeof parent === 'object' && parent !== null
    ? (parent as Readonly<Record<string, unknown>>)[name]
    : undefined
}

/**
 * Returns a check whether a job is one of those that wait, or has one of these steps under way. A step whose document is older or newer than the
 * ledger does not count.
 */
export function hasStepOf(steps: readonly WaitingStep[]): (job: JobDocument) => boolean {
  const known = new Set(steps.map(keyOf))
  return ({ pk, jobId, processState, steps: ledger, place }) =>
    waitingStates.some((state) => state === processState) &&
    ((typeof place?.since === 'string' && known.has(keyOf({ pk, jobId }))) ||
      Object.entries(ledger).some(([stepId, { state, dispatch }]) => {
        const isUnderWay = state === 'Processing' || state === 'Compensating'
        return isUnderWay && known.has(keyOf({ pk, jobId, stepId, dispatch }))
      }))
}

function keyOf({ pk, jobId, stepId, dispatch }: WaitingStep): string {
  return JSON.stringify([pk, jobId, stepId, dispatch])
}
