import { describe, expect, it } from 'vitest'
import { decodeDocument, isTerminal, type StepDocument } from '../../../src/sas/documents.js'
import { operate, type OperatorCommand } from '../../../src/sas/operate.js'
import { recover } from '../../../src/sas/recover.js'
import { schedule } from '../../../src/sas/schedule.js'
import { isOpen, settle, type Outcome } from '../../../src/sas/settle.js'
import { submit } from '../../../src/sas/submit.js'
import {
  aSubmission,
  aWorkflow,
  documentsOf,
  submittedAtMs,
  type JobDocuments,
  type ShapeOptions,
  type WorkflowShape,
} from '../../support/a-job.js'
import { longestBackoff, replaced } from '../../support/job-story.js'

/** The documents of one job and the time: everything that decisions can know. */
interface State extends JobDocuments {
  readonly now: number
}

/** One thing that can happen next, and what it makes of the state. */
interface Edge {
  readonly by: 'schedule' | 'settle' | 'recover' | 'operate' | 'time'
  readonly stepId: string | null
  readonly to: State
}

const times = { completeWithin: 10, retryBackoff: { min: 4, max: 4 } }
const graceMs = 2
const maxStates = 20_000

const outcomes: readonly Outcome[] = [
  { kind: 'success', output: 1 },
  { kind: 'failed', message: 'busy' },
  { kind: 'permanent', message: 'no' },
]

/** What operators decide in these stories. Each at most once: their number grows without bound otherwise. */
const commands: readonly OperatorCommand[] = [
  { kind: 'cancel', by: 'ann', why: 'x' },
  { kind: 'release', by: 'ann', why: 'x' },
  { kind: 'resubmit', by: 'ann', why: 'x' },
]

function initialState({ shape, ...options }: Scenario): State {
  const { plan } = aWorkflow(shape, { ...times, ...options })
  return { ...documentsOf(submit(aSubmission(plan))), now: submittedAtMs }
}

function scheduling({ job, steps, now }: State) {
  return schedule({ job, steps, now, scheduler: 'scheduler' })
}

function edgesFrom(state: State, withOperator: boolean): Edge[] {
  const { job } = state
  const edges: Edge[] = []
  const decision = scheduling(state)
  if (decision.kind === 'write') {
    const steps = replaced(state.steps, ...decision.changed)
    edges.push({ by: 'schedule', stepId: null, to: { ...state, job: decision.job, steps } })
  }
  const dueTimes: number[] = []
  for (const step of state.steps.values()) {
    for (const outcome of outcomes) {
      const settlement = settle(step, attemptAt(step), outcome, { now: state.now, random: longestBackoff })
      if (settlement.kind === 'write') edges.push(written('settle', state, settlement.step))
    }
    const recovery = recover(step, { now: state.now, graceMs, supervisor: 'supervisor' })
    if ('step' in recovery) edges.push(written('recover', state, recovery.step))
    if (recovery.kind === 'wait') dueTimes.push(recovery.untilMs)
  }
  for (const command of withOperator ? commands : []) {
    if (job.audit.some((entry) => entry.command === command.kind)) continue
    const operation = operate(state, command)
    if (operation.kind === 'refused') continue
    const steps = replaced(state.steps, ...operation.changed)
    edges.push({ by: 'operate', stepId: null, to: { ...state, job: operation.job, steps } })
  }
  // The clock is small: it knows only the instants at which something falls due.
  if (dueTimes.length > 0) {
    edges.push({ by: 'time', stepId: null, to: { ...state, now: Math.min(...dueTimes) } })
  }
  return edges
}

function attemptAt({ attempt, fence }: StepDocument) {
  return { number: attempt, fence, by: 'agents' }
}

function written(by: Edge['by'], state: State, step: StepDocument): Edge {
  return { by, stepId: step.stepId, to: { ...state, steps: replaced(state.steps, step) } }
}

/** What decisions can depend on: equal states decide alike. Absolute times and growing numbers are left out. */
function keyOf({ job, steps, now }: State): string {
  const key = [...steps.values()].map((step) => {
    const entry = job.steps[step.stepId]
    const { processState, failureCount, completeByMs, outcome, undo, attention, direction } = step
    // Overdue is overdue, however long.
    const left = completeByMs === null ? '' : Math.max(completeByMs - now, -graceMs)
    const ahead = step.dispatch - (entry?.dispatch ?? 0)
    const isLocked = step.lockedBy !== null
    const inGeneration = step.generation === job.generation
    return [
      [entry?.state, ahead, step.dispatch === 0, processState, isLocked, inGeneration, direction],
      [failureCount, undo?.failureCount, left, outcome?.kind, attention?.kind, step.notBeforeMs === null],
    ].join()
  })
  const decided = job.audit.map(({ command }) => command)
  const { processState, generation, lockedBy, attention, compensation } = job
  return [processState, generation, lockedBy, attention?.kind, compensation?.thenRetry, decided, ...key].join(
    ' | ',
  )
}

/** Every state that can be reached, with its edges, checked on the way. */
function explore(
  start: State,
  withOperator: boolean,
): Map<string, { readonly state: State; readonly edges: readonly Edge[] }> {
  const found = new Map<string, { readonly state: State; readonly edges: readonly Edge[] }>()
  const ahead = [start]
  for (let state = ahead.pop(); state !== undefined; state = ahead.pop()) {
    const key = keyOf(state)
    if (found.has(key)) continue
    if (found.size > maxStates) throw new Error('the states do not end: what grows must not be in their key')
    const edges = edgesFrom(state, withOperator)
    found.set(key, { state, edges })
    checkState(state)
    for (const edge of edges) {
      checkEdge(state, edge)
      ahead.push(edge.to)
    }
  }
  return found
}

/** Fails with the state in view; `expect` for each of a hundred thousand states would be slow. */
function must(isHeld: boolean, invariant: string, at: unknown): void {
  if (!isHeld) throw new Error(`${invariant}\n${JSON.stringify(at, mapsAsObjects, 1)}`)
}

function mapsAsObjects(_key: string, value: unknown): unknown {
  return value instanceof Map ? Object.fromEntries(value as Map<string, unknown>) : value
}

function checkState(state: State): void {
  const { job, steps, now } = state
  must(decodeDocument(job).kind === 'job', 'I20: the job’s state is the derived one', state)
  for (const step of steps.values()) {
    must(decodeDocument(step).kind === 'step', 'I20: a step’s state is the derived one', state)
    must(step.dispatch === job.steps[step.stepId]?.dispatch, 'a step is never ahead of its ledger', state)
    const isBounded = typeof step.onExhausted === 'string'
    must(!isBounded || step.failureCount <= step.maxFailures, 'I4: no attempt after the last', state)
    must((step.undo?.failureCount ?? 0) <= step.maxFailures, 'R111: nor at undoing', state)
    const key = `job-1/${step.stepId}/g${step.generation}/${step.direction}`
    must(
      step.dispatch === 0 || step.idempotencyKey === key,
      'I9: one key per generation and direction',
      state,
    )
    must(step.generation <= job.generation, 'F-K10: no step is ahead of its job', state)
    for (const outcome of outcomes) {
      const old = { ...attemptAt(step), fence: step.fence - 1 }
      const late = settle(step, old, outcome, { now, random: longestBackoff })
      must(late.kind === 'discarded', 'I3: an old fence changes nothing', state)
      const isInTime = step.completeByMs !== null && now < step.completeByMs
      const current = settle(step, attemptAt(step), outcome, { now, random: longestBackoff })
      must(current.kind === 'discarded' || isInTime, 'I3: nothing is recorded after the deadline', state)
    }
  }
  if (isTerminal(job)) must(scheduling(state).kind === 'nothing', 'I7: a terminal job stays as it is', state)
}

function checkEdge(from: State, edge: Edge): void {
  const at = { by: edge.by, stepId: edge.stepId, from, to: edge.to }
  const { job, steps } = edge.to
  const isOperator = edge.by === 'operate'
  must(job.fence >= from.job.fence, 'I22: the job’s fence never falls', at)
  must(isOperator || !isTerminal(from.job) || job === from.job, 'I7: a terminal job is not written', at)
  for (const before of from.steps.values()) {
    const after = steps.get(before.stepId)
    if (after === undefined || after === before) continue
    must(after.fence >= before.fence, 'I22: a step’s fence never falls', at)
    if (edge.by !== 'settle') must(after.fence === before.fence + 1, 'I22: a new attempt, a new fence', at)
    if (edge.by === 'settle') must(isOpen(before, from.now), 'I2: only an open attempt is settled', at)
    if (edge.by === 'settle' || edge.by === 'recover') checkOutcome(edge.by, before, after)
    if (edge.by === 'schedule') checkScheduled(before, after, { from, to: edge.to })
  }
  if (edge.by === 'schedule') checkSchedule(from, edge.to)
}

/** What agents and the supervisor may make of a step. */
function checkOutcome(by: Edge['by'], before: StepDocument, after: StepDocument): void {
  const at = { by, before, after }
  const isAtRest = ['Processed', 'Error', 'Compensated'].includes(before.processState)
  must(!isAtRest, 'I2, I7: what has ended stands until a scheduler or an operator decides', at)
  must(after.direction === before.direction, 'only the scheduler turns a step back', at)
  must(
    failuresOf(after) - failuresOf(before) === failuresBy(by, before, after),
    'I4: one per failed attempt',
    at,
  )
}

/** What the scheduler may make of a step. */
function checkScheduled(before: StepDocument, after: StepDocument, at: { from: State; to: State }): void {
  const { from, to } = at
  must(after.dispatch === before.dispatch + 1, 'the scheduler counts its writes of a step', at)
  if (after.direction === 'do' && after.lockedBy !== null) {
    const isReady = after.dependsOn.every((id) => to.job.steps[id]?.state === 'Processed')
    must(isReady, 'I5: dispatched only when all dependencies are done', at)
    const begins =
      before.generation !== after.generation || from.job.steps[after.stepId]?.state === 'NotStarted'
    must(begins || before.processState === 'Pending', 'I2: what is done is not done again', at)
  }
  if (after.direction === 'undo') {
    must(after.undo !== null, 'I6: undone is only what has an undo', at)
    must(to.job.compensation !== null, 'I6: undone is only where the job goes back', at)
    const wasDone = before.processState === 'Processed' || before.direction === 'undo'
    const isWithoutEffect = before.outcome?.kind === 'permanent' && before.failureCount === 1
    must(wasDone || !isWithoutEffect, 'I6: undone is what was done, or may have been (F-K2)', at)
    const later = [...to.steps.values()].filter(({ dependsOn }) => dependsOn.includes(after.stepId))
    const isLast = later.every(({ stepId, undo }) => {
      const { state } = to.job.steps[stepId] ?? {}
      return state === 'NotStarted' || state === 'Compensated' || state === 'Error' || undo === null
    })
    must(isLast, 'I6: in reverse dependency order', at)
  }
}

function failuresOf({ failureCount, undo }: StepDocument): number {
  return failureCount + (undo?.failureCount ?? 0)
}

/** An attempt that ended without success counts; a pick-up ultimatum that passes is none (C8). */
function failuresBy(by: Edge['by'], before: StepDocument, after: StepDocument): number {
  if (by === 'settle') return after.outcome?.kind === 'permanent' ? 1 : 0
  return before.lockedBy !== null ? 1 : 0
}

function checkSchedule(from: State, to: State): void {
  const at = { from, to }
  const isOnTheWay = to.job.compensation?.thenRetry === true
  must(scheduling(to).kind === 'nothing' || isOnTheWay, 'a decided state decides nothing', at)
  const backwards = new Map([...from.steps].reverse())
  const reordered = scheduling({ ...from, steps: backwards })
  must(JSON.stringify(reordered) === JSON.stringify(scheduling(from)), 'any order of steps decides alike', at)
  if ([...to.steps.values()].some((step) => step !== from.steps.get(step.stepId))) {
    must(scheduling({ ...to, job: from.job }).kind === 'stale', 'a job older than its step is stale', at)
  }
  const replay = scheduling({ ...to, steps: from.steps })
  must(
    replay.kind === 'nothing' || replay.kind === 'read' || isOnTheWay,
    'an old version of a step never folds',
    at,
  )
}

/** A person is asked to look: where this story's operator has done that already, nothing more happens. */
function isParked({ job }: State): boolean {
  return job.attention?.kind === 'parked'
}

/** States from which no state in `ends` can be reached. */
function deadEnds(found: ReturnType<typeof explore>): string[] {
  const before = new Map<string, Set<string>>()
  for (const [key, { edges }] of found) {
    for (const edge of edges) {
      const next = keyOf(edge.to)
      before.set(next, before.get(next)?.add(key) ?? new Set([key]))
    }
  }
  const ending = [...found]
    .filter(([, { state }]) => isTerminal(state.job) || isParked(state))
    .map(([key]) => key)
  const reaching = new Set(ending)
  const ahead = [...ending]
  for (let key = ahead.pop(); key !== undefined; key = ahead.pop()) {
    for (const earlier of before.get(key) ?? []) {
      if (reaching.has(earlier)) continue
      reaching.add(earlier)
      ahead.push(earlier)
    }
  }
  return [...found.keys()].filter((key) => !reaching.has(key))
}

interface Scenario extends ShapeOptions {
  readonly shape: WorkflowShape
}

const chain = { a: [], b: ['a'] }
const ofThree: readonly WorkflowShape[] = [[], ['a'], ['b'], ['a', 'b']].flatMap((last) => [
  { ...chain, c: last },
  { a: [], b: [], c: last },
])
const plain: readonly Scenario[] = [
  { shape: { a: [] }, maxFailures: 1 },
  { shape: { a: [] }, maxFailures: 3 },
  { shape: chain, maxFailures: 2 },
  { shape: { a: [], b: [] }, maxFailures: 2 },
  ...ofThree.map((shape) => ({ shape, maxFailures: 1 })),
  { shape: { ...chain, c: ['b'] }, maxFailures: 2 },
  { shape: { a: [], b: [], c: ['a', 'b'] }, maxFailures: 2 },
]
const undoing = { undo: true, maxFailures: 1 } as const
const compensating: readonly Scenario[] = [
  // All at once and uncertain has a hundred thousand states; two at once, below, show the same.
  ...ofThree.map((shape) => ({
    shape,
    ...undoing,
    undoUncertain: Object.values(shape).flat().length > 1,
    onExhausted: 'compensate' as const,
  })),
  { shape: chain, ...undoing, maxFailures: 2, onExhausted: 'compensate' },
  { shape: { a: [], b: [] }, ...undoing, maxFailures: 2, onExhausted: 'compensate' },
  { shape: { a: [], b: [] }, ...undoing, undoUncertain: false, onExhausted: 'compensate' },
  { shape: chain, ...undoing, onExhausted: 'compensateThenRetry', maxGenerations: 2 },
  { shape: { a: [], b: [] }, ...undoing, onExhausted: 'compensateThenRetry', maxGenerations: 2 },
]
const operated: readonly Scenario[] = [
  { shape: chain, ...undoing },
  { shape: { a: [], b: [] }, ...undoing, undoUncertain: false },
  { shape: chain, ...undoing, onExhausted: 'compensate' },
  { shape: chain, ...undoing, onExhausted: 'park' },
]

/** Explores everything, and answers how jobs can end. */
function endsOf(scenario: Scenario, withOperator = false): Set<string> {
  const found = explore(initialState(scenario), withOperator)
  expect(deadEnds(found)).toEqual([])
  const ends = new Set<string>()
  for (const { state, edges } of found.values()) {
    if (edges.some(({ by }) => by !== 'operate')) continue
    const { processState, steps } = state.job
    must(
      isTerminal(state.job) || isParked(state),
      'I8: a state without a next is terminal, or waits for a person',
      state,
    )
    const isWholeJobDone = Object.values(steps).every((entry) => entry.state === 'Processed')
    must((processState === 'Processed') === isWholeJobDone, 'a job is done when all its steps are', state)
    const isUndone = Object.values(steps).every(
      ({ state }) => state !== 'Processed' && state !== 'Compensating',
    )
    must(processState !== 'Compensated' || isUndone, 'R1: nothing is left of a job that was undone', state)
    ends.add(isTerminal(state.job) ? processState : 'waiting')
  }
  return ends
}

describe('every state that can be reached', () => {
  it.each(plain)(
    'of $shape with $maxFailures attempts keeps every invariant and leads to an end',
    (scenario) => {
      expect(endsOf(scenario)).toEqual(new Set(['Processed', 'Error']))
    },
  )

  it.each(compensating)(
    'of $shape with $onExhausted keeps every invariant and leads to an end',
    (scenario) => {
      const undone = scenario.onExhausted === 'compensate' ? ['Compensated'] : []
      expect(endsOf(scenario)).toEqual(new Set(['Processed', 'Error', ...undone]))
    },
  )

  it.each(operated)('of $shape with $onExhausted and an operator does, too', (scenario) => {
    const parked = scenario.onExhausted === 'park' ? ['waiting'] : []
    expect(endsOf(scenario, true)).toEqual(new Set(['Processed', 'Error', 'Compensated', ...parked]))
  })
})
