import type { JobDocument, StepDocument } from '../model/documents.js'
import type { GateDocument } from '../model/gate-documents.js'
import type { Turn } from '../model/gate-parts.js'
import type { StateStore } from '../store/state-store.js'
import { isInQueue, wholeJob } from './job-place.js'
import { turnsBefore } from './queues.js'
import { rulesOf } from './rules-in-force.js'
import { gateAddress } from './home.js'
import { readGate } from './stored-gate.js'

/** The place of a step that waits for room in a limit, or of a job, whose `stepId` is empty. */
export interface PlaceAtLimit {
  readonly stepId: string
  /** The number of steps inside. */
  readonly inside: number
  /** The number of places, or null if the limit has none any more. */
  readonly atOnce: number | null
  /** The number of waiters that are called first. Null if the step is in no queue any more, because it was called. */
  readonly ahead: number | null
  /** The operator who has set the limit, or null. */
  readonly set: { readonly by: string; readonly at: string; readonly why: string } | null
}

/** Returns the first step of a job that waits for room in a limit, or undefined. */
export function waitingAtLimit(
  { stepIds }: Pick<JobDocument, 'stepIds'>,
  steps: readonly StepDocument[],
): StepDocument | undefined {
  const waiting = steps.filter(isWaitingAtLimit)
  return waiting.sort((one, other) => stepIds.indexOf(one.stepId) - stepIds.indexOf(other.stepId))[0]
}

/** Checks whether a step waits for room in a limit or by its rate. No attempt has begun, so no deadline runs. */
export function isWaitingAtLimit({ place, processState }: StepDocument): boolean {
  const isUp = processState === 'Pending' || processState === 'Processing'
  return isUp && place !== undefined && place.since !== null
}

/**
 * Reads the place of the job, or of its first step, that waits for room in a limit. Returns null, without a request,
 * if neither does.
 *
 * @throws StoreUnavailable if the store could not be reached
 */
export async function readPlaceAtLimit(
  store: Pick<StateStore, 'read'>,
  job: JobDocument,
  steps: readonly StepDocument[],
): Promise<PlaceAtLimit | null> {
  const ofJob = isInQueue(job) ? { stepId: wholeJob, place: job.place } : {}
  const { stepId, place } = waitingAtLimit(job, steps) ?? ofJob
  if (job.endedAt !== null || stepId === undefined || !place?.waitsFor) return null
  const gate = await readGate(store, gateAddress(place.waitsFor))
  return gate === null ? null : { stepId, ...placeAt(gate, place.turn) }
}

/** Returns how a waiter with this turn stands at a gate. */
export function placeAt(gate: GateDocument, turn: Turn | null): Omit<PlaceAtLimit, 'stepId'> {
  const { holders, operated } = gate
  return {
    inside: holders.length,
    atOnce: rulesOf(gate).atOnce ?? null,
    ahead: turn === null ? null : aheadOf(gate, turn),
    set: operated === null ? null : { by: operated.by, at: operated.at, why: operated.why },
  }
}

/** Counts the waiters before a turn. The groups take turns, so each other group has at most one in each round. */
function aheadOf(gate: GateDocument, turn: Turn): number | null {
  const { lanes } = gate
  if (lanes.some(({ priority }) => priority !== undefined)) return turnsBefore(gate, turn)
  const { group, number } = turn
  const at = lanes.findIndex((lane) => lane.group === group && lane.first <= number && number < lane.next)
  const own = lanes[at]
  if (own === undefined) return null
  const rounds = number - own.first
  return lanes.reduce((sum, { first, next }, index) => {
    return sum + Math.min(next - first, index < at ? rounds + 1 : rounds)
  }, 0)
}
