import { claim, mayHaveActed } from '../../src/sas/claim.js'
import { owedBy } from '../../src/sas/generation.js'
import { isTerminal, type Json } from '../../src/sas/documents.js'
import { operate, type OperatorCommand } from '../../src/sas/operate.js'
import type { Plan } from '../../src/sas/plan.js'
import { raiseEvent } from '../../src/sas/raise-event.js'
import { recover } from '../../src/sas/recover.js'
import { recoverJob } from '../../src/sas/recover-job.js'
import { settle, type Outcome } from '../../src/sas/settle.js'
import { submit } from '../../src/sas/submit.js'
import { aSubmission, documentsOf, submittedAtMs } from './a-job.js'
import { longestBackoff, replaced } from './job-story.js'
import {
  attemptAt,
  checkEdge,
  checkState,
  hasClaimIfNeeded,
  must,
  scheduling,
  type Edge,
  type State,
} from './state-invariants.js'

/** A job whose every possible story is told. */
export interface Scenario {
  readonly plan: Plan
  readonly input?: Json
  /** Milliseconds for the whole job. Default: no limit. */
  readonly completeWithinMs?: number
  /** What steps may return. Default: one value, so that no decision depends on it. */
  readonly outputs?: readonly Json[]
  /** Whether an operator may cancel, release and resubmit, each once: their number grows without bound otherwise. */
  readonly withOperator?: boolean
}

/** Steps and back-offs so short that few instants matter. */
export const times = { completeWithin: 10, retryBackoff: { min: 4, max: 4 } }
const policy = { graceMs: 2, supervisor: 'supervisor' }
const maxStates = 20_000

const commands: readonly OperatorCommand[] = [
  { kind: 'cancel', by: 'ann', why: 'x' },
  { kind: 'release', by: 'ann', why: 'x' },
  { kind: 'resubmit', by: 'ann', why: 'x' },
]

interface Reached {
  readonly state: State
  readonly next: readonly { readonly by: Edge['by']; readonly key: string }[]
}

/**
 * Explores every state that a job can get into by what the scheduler, agents, the supervisor, operators and the clock
 * can do next, checks each and each way to it, and answers how jobs can end.
 *
 * @throws Error with the state in view where an invariant does not hold, or no end can be reached
 */
export function endsOf(scenario: Scenario): Set<string> {
  const found = explore(scenario)
  must(deadEnds(found).length === 0, 'I8: from every state an end can be reached', deadEnds(found)[0])
  const ends = new Set<string>()
  for (const { state: reached, next } of found.values()) {
    if (next.some(({ by }) => by !== 'operate')) continue
    const { processState, steps } = reached.job
    must(
      isTerminal(reached.job) || isParked(reached),
      'I8: a state without a next is terminal, or waits for a person',
      reached,
    )
    const entries = Object.values(steps)
    const isWholeJobDone = entries.every(({ state }) => state === 'Processed' || state === 'Skipped')
    must((processState === 'Processed') === isWholeJobDone, 'a job is done when all its steps are', reached)
    const isUndone = Object.entries(steps).every(([stepId, { state }]) => {
      const isLeft = state === 'Processed' && reached.steps.get(stepId)?.undo !== null
      return !isLeft && state !== 'Compensating'
    })
    must(processState !== 'Compensated' || isUndone, 'R1: nothing is left of a job that was undone', reached)
    const isOwed = [...reached.steps.values()].some((step) => owedBy(step).length > 0)
    must(
      processState !== 'Compensated' || !isOwed,
      'I6: nothing that may have acted is left, either',
      reached,
    )
    ends.add(isTerminal(reached.job) ? processState : 'waiting')
  }
  return ends
}

function explore(scenario: Scenario): Map<string, Reached> {
  const { plan, input = {}, completeWithinMs = null } = scenario
  const submission = aSubmission(plan, { input, completeWithinMs })
  const ahead: State[] = [{ ...documentsOf(submit(submission)), now: submittedAtMs }]
  const found = new Map<string, Reached>()
  for (let state = ahead.pop(); state !== undefined; state = ahead.pop()) {
    const key = keyOf(state)
    if (found.has(key)) continue
    if (found.size > maxStates) throw new Error('the states do not end: what grows must not be in their key')
    const edges = edgesFrom(state, scenario)
    checkState(state)
    const next = edges.map((edge) => {
      checkEdge(state, edge)
      return { by: edge.by, key: keyOf(edge.to) }
    })
    found.set(key, { state, next })
    ahead.push(...edges.filter((_edge, index) => !found.has(next[index]?.key ?? '')).map(({ to }) => to))
  }
  return found
}

function edgesFrom(state: State, scenario: Scenario): Edge[] {
  const decision = scheduling(state)
  const scheduled: Edge[] =
    decision.kind === 'write' ? [edgeTo('schedule', state, decision.job, ...decision.changed)] : []
  return [
    ...scheduled,
    ...stepEdges(state, scenario.outputs ?? [1]),
    ...(scenario.withOperator === true ? operatorEdges(state) : []),
    ...timeEdges(state),
  ]
}

function edgeTo(by: Edge['by'], state: State, job: State['job'], ...changed: readonly Step[]): Edge {
  return { by, to: { ...state, job, steps: replaced(state.steps, ...changed) } }
}

type Step = Parameters<typeof settle>[0]

/** What agents, the supervisor and whoever raises events may do to one of the steps. */
function stepEdges(state: State, outputs: readonly Json[]): Edge[] {
  const { now, job } = state
  const outcomes: readonly Outcome[] = [
    ...outputs.map((output) => ({ kind: 'success' as const, output })),
    { kind: 'failed', message: 'busy' },
    { kind: 'permanent', message: 'no', didNothing: true },
    { kind: 'permanent', message: 'no' },
  ]
  return [...state.steps.values()].flatMap((step) => {
    const decisions: [Edge['by'], object][] = [
      ['recover', recover(step, { ...policy, now })],
      ['claim', claim(step, { fence: step.fence, by: 'agents', token: `f${step.fence}` }, now)],
    ]
    if (step.kind === 'operation' && hasClaimIfNeeded(step)) {
      for (const outcome of outcomes) {
        decisions.push(['settle', settle(step, attemptAt(step), outcome, { now, random: longestBackoff })])
      }
    }
    // Before it began and while it waits is all the same to a step that nothing else happens to.
    if (step.kind === 'waitFor') decisions.push(['raise', raiseEvent(step, 1, now)])
    return decisions.flatMap(([by, decision]) =>
      'step' in decision ? [edgeTo(by, state, job, decision.step as Step)] : [],
    )
  })
}

function operatorEdges(state: State): Edge[] {
  const open = commands.filter(({ kind }) => state.job.audit.every(({ command }) => command !== kind))
  return open.flatMap((command) => {
    const operation = operate(state, command)
    return operation.kind === 'refused' ? [] : [edgeTo('operate', state, operation.job, ...operation.changed)]
  })
}

/** The clock is small: it knows only the instants at which something falls due. */
function timeEdges(state: State): Edge[] {
  const { job, steps, now } = state
  const recoveries = [...steps.values()].map((step) => recover(step, { ...policy, now }))
  const standing = recoverJob(job, { ...policy, now })
  const due = recoveries.flatMap((recovery) => (recovery.kind === 'wait' ? [recovery.untilMs] : []))
  const { endByMs } = job
  if (endByMs !== null && endByMs > now && !isTerminal(job)) due.push(endByMs)
  const freed = endByMs !== null && 'job' in standing ? [edgeTo('recover', state, standing.job)] : []
  if (due.length === 0) return freed
  return [...freed, { by: 'time', to: { ...state, now: Math.min(...due) } }]
}

/** What decisions can depend on: equal states decide alike. Absolute times and growing numbers are left out. */
function keyOf({ job, steps, now }: State): string {
  const left = (dueMs: number | null): number | '' =>
    // Overdue is overdue, however long.
    dueMs === null ? '' : Math.max(dueMs - now, -policy.graceMs)
  const ofSteps = [...steps.values()].map((step) => {
    const entry = job.steps[step.stepId]
    const { processState, failureCount, completeByMs, outcome, undo, attention, direction, event } = step
    return [
      [entry?.state, step.dispatch - (entry?.dispatch ?? 0), step.dispatch === 0, processState, direction],
      [step.lockedBy !== null, step.generation, step.claim?.fence === step.fence, mayHaveActed(step)],
      step.owed.map(({ generation }) => generation),
      [failureCount, undo?.failureCount, left(completeByMs), outcome?.kind, attention?.kind],
      [step.claim === null, step.notBeforeMs === null, event === null],
      [processState === 'Processed' ? JSON.stringify(step.output) : ''],
    ].join()
  })
  const { processState, generation, lockedBy, attention, compensation } = job
  const ofJob = [
    [processState, generation, lockedBy, attention?.kind, compensation?.thenRetry],
    [left(job.endByMs), job.endByMs === null ? '' : left(job.completeByMs)],
    job.audit.map(({ command }) => command),
  ]
  return [...ofJob, ...ofSteps].join(' | ')
}

/** A person is asked to look: where this story's operator has done that already, nothing more happens. */
function isParked({ job }: State): boolean {
  return job.attention?.kind === 'parked'
}

/** States from which no end can be reached. */
function deadEnds(found: ReadonlyMap<string, Reached>): State[] {
  const before = new Map<string, Set<string>>()
  for (const [key, { next }] of found) {
    for (const edge of next) before.set(edge.key, before.get(edge.key)?.add(key) ?? new Set([key]))
  }
  const ends = [...found].filter(([, { state }]) => isTerminal(state.job) || isParked(state))
  const reaching = new Set(ends.map(([key]) => key))
  const ahead = [...reaching]
  for (let key = ahead.pop(); key !== undefined; key = ahead.pop()) {
    for (const earlier of before.get(key) ?? []) {
      if (reaching.has(earlier)) continue
      reaching.add(earlier)
      ahead.push(earlier)
    }
  }
  return [...found].flatMap(([key, { state }]) => (reaching.has(key) ? [] : [state]))
}
