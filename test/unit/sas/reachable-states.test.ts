import { describe, expect, it } from 'vitest'
import { decodeDocument, isTerminal, type StepDocument } from '../../../src/sas/documents.js'
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
  type WorkflowShape,
} from '../../support/a-job.js'
import { longestBackoff, replaced } from '../../support/job-story.js'

/** The documents of one job and the time: everything that decisions can know. */
interface State extends JobDocuments {
  readonly now: number
}

/** One thing that can happen next, and what it makes of the state. */
interface Edge {
  readonly by: 'schedule' | 'settle' | 'recover' | 'time'
  readonly stepId: string | null
  readonly to: State
}

const times = { completeWithin: 10, retryBackoff: { min: 4, max: 4 } }
const graceMs = 2
const maxStates = 5_000

const outcomes: readonly Outcome[] = [
  { kind: 'success', output: 1 },
  { kind: 'failed', message: 'busy' },
  { kind: 'permanent', message: 'no' },
]

function initialState(shape: WorkflowShape, maxFailures: number): State {
  const { plan } = aWorkflow(shape, { ...times, maxFailures })
  return { ...documentsOf(submit(aSubmission(plan))), now: submittedAtMs }
}

function scheduling({ job, steps, now }: State) {
  return schedule({ job, steps, now, scheduler: 'scheduler' })
}

function edgesFrom(state: State): Edge[] {
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
    const { processState, failureCount, completeByMs, outcome } = step
    // Overdue is overdue, however long.
    const left = completeByMs === null ? '' : Math.max(completeByMs - now, -graceMs)
    const ahead = step.dispatch - (entry?.dispatch ?? 0)
    return [entry?.state, ahead, step.dispatch === 0, processState, failureCount, left, outcome?.kind].join()
  })
  return [job.processState, ...key].join(' | ')
}

/** Every state that can be reached, with its edges, checked on the way. */
function explore(start: State): Map<string, { readonly state: State; readonly edges: readonly Edge[] }> {
  const found = new Map<string, { readonly state: State; readonly edges: readonly Edge[] }>()
  const ahead = [start]
  for (let state = ahead.pop(); state !== undefined; state = ahead.pop()) {
    const key = keyOf(state)
    if (found.has(key)) continue
    if (found.size > maxStates) throw new Error('the states do not end: what grows must not be in their key')
    const edges = edgesFrom(state)
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
    must(step.failureCount <= step.maxFailures, 'I4: no attempt after the last', state)
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
  must(job.fence >= from.job.fence, 'I22: the job’s fence never falls', at)
  must(!isTerminal(from.job) || job === from.job, 'I7: a terminal job is not written', at)
  for (const before of from.steps.values()) {
    const after = steps.get(before.stepId)
    if (after === undefined || after === before) continue
    must(after.fence >= before.fence, 'I22: a step’s fence never falls', at)
    must(before.processState !== 'Processed', 'I2: an accepted outcome stands', at)
    must(before.processState !== 'Error', 'I7: a flagged step waits for a person', at)
    const failures = after.failureCount - before.failureCount
    must(failures === failuresBy(edge.by, before, after), 'I4: one per failed attempt', at)
    if (edge.by !== 'settle') must(after.fence === before.fence + 1, 'I22: a new attempt, a new fence', at)
    if (edge.by === 'settle') must(isOpen(before, from.now), 'I2: only an open attempt is settled', at)
    if (edge.by === 'schedule') {
      const isReady = after.dependsOn.every((id) => steps.get(id)?.processState === 'Processed')
      must(isReady, 'I5: dispatched only when all dependencies are done', at)
    }
  }
  if (edge.by === 'schedule') checkSchedule(from, edge.to)
}

/** An attempt that ended without success counts; a pick-up ultimatum that passes is none (C8). */
function failuresBy(by: Edge['by'], before: StepDocument, after: StepDocument): number {
  if (by === 'settle') return after.outcome?.kind === 'permanent' ? 1 : 0
  return by === 'recover' && before.processState === 'Processing' ? 1 : 0
}

function checkSchedule(from: State, to: State): void {
  const at = { from, to }
  must(scheduling(to).kind === 'nothing', 'a decided state decides nothing', at)
  const backwards = new Map([...from.steps].reverse())
  const reordered = scheduling({ ...from, steps: backwards })
  must(JSON.stringify(reordered) === JSON.stringify(scheduling(from)), 'any order of steps decides alike', at)
  if ([...to.steps.values()].some((step) => step !== from.steps.get(step.stepId))) {
    must(scheduling({ ...to, job: from.job }).kind === 'stale', 'a job older than its step is stale', at)
  }
  const replay = scheduling({ ...to, steps: from.steps })
  must(replay.kind === 'nothing' || replay.kind === 'read', 'an old version of a step never folds', at)
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
  const ending = [...found].filter(([, { state }]) => isTerminal(state.job)).map(([key]) => key)
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

const chain = { a: [], b: ['a'] }
const shapes: readonly (readonly [WorkflowShape, number])[] = [
  [{ a: [] }, 1],
  [{ a: [] }, 3],
  [chain, 2],
  [{ a: [], b: [] }, 2],
  ...[[], ['a'], ['b'], ['a', 'b']].flatMap((last) => [
    [{ ...chain, c: last }, 1] as const,
    [{ a: [], b: [], c: last }, 1] as const,
  ]),
  [{ ...chain, c: ['b'] }, 2],
  [{ a: [], b: [], c: ['a', 'b'] }, 2],
]

describe('every state that can be reached', () => {
  it.each(shapes.map(([shape, maxFailures]) => ({ shape, maxFailures })))(
    'of $shape with $maxFailures attempts keeps every invariant and leads to an end',
    ({ shape, maxFailures }) => {
      const found = explore(initialState(shape, maxFailures))
      expect(deadEnds(found)).toEqual([])
      const ends = new Set<string>()
      for (const { state, edges } of found.values()) {
        if (edges.length > 0) continue
        const { processState } = state.job
        must(isTerminal(state.job), 'I8: a state without a next is terminal', state)
        const isWholeJobDone = [...state.steps.values()].every((step) => step.processState === 'Processed')
        must((processState === 'Processed') === isWholeJobDone, 'a job is done when all its steps are', state)
        ends.add(processState)
      }
      expect(ends).toEqual(new Set(['Processed', 'Error']))
    },
  )
})
