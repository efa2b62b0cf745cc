import type { GateDocument, Holder, Visitor } from '../model/gate-documents.js'
import type { StateStore } from '../store/state-store.js'
import { readStepOrPlan } from '../store/read-steps.js'
import { readJob, updateDocument } from '../store/update-document.js'
import { calledWithinMs } from './gate.js'
import { wholeJob } from './job-place.js'
import { calledJob, calledStep, standingOf, standingOfJob, type Standing } from './standing.js'
import { addressOf } from './stored-gate.js'

/** The standing of a visitor at a gate, and when to check it again. */
export interface Found {
  readonly standing: Standing
  readonly againMs: number
}

/** The longest pause between two checks of a visitor that reports no deadline. */
const maxPauseMs = 60_000

/** The pause between two checks of a job that is under way. Its end normally frees its place. */
const jobPauseMs = 600_000

/** Reads the standing of a step or a job inside a gate. */
export async function find(
  store: StateStore,
  holder: Holder,
  { key }: Pick<GateDocument, 'key'>,
  now: number,
): Promise<Found> {
  if (holder.stepId === wholeJob) {
    const standing = standingOfJob(await readJob(store, addressOf(holder)), holder, key)
    return { standing, againMs: now + (standing === 'inside' ? jobPauseMs : pauseBeforeEntry(standing)) }
  }
  const step = await readStepOrPlan(store, holder)
  const standing = standingOf(step, holder, key)
  if (standing !== 'inside') return { standing, againMs: now + pauseBeforeEntry(standing) }
  const { completeWithinMs = 0, completeByMs = null } = step ?? {}
  return { standing, againMs: Math.max(completeByMs ?? 0, now + Math.min(completeWithinMs, maxPauseMs)) }
}

/** The pause before the next check of a visitor that has not entered yet. */
function pauseBeforeEntry(standing: Standing): number {
  return standing === 'coming' ? maxPauseMs : calledWithinMs
}

/** Offers a visitor that waits to its scheduler. Returns how it stood to the gate. */
export async function offer(
  store: StateStore,
  visitor: Visitor,
  key: string,
  now: () => number,
): Promise<Standing> {
  const from = { address: addressOf(visitor), known: null }
  const update =
    visitor.stepId === wholeJob
      ? await updateDocument(store, { ...from, read: readJob }, (job) => {
          const result = standingOfJob(job, visitor, key)
          return { write: result === 'waiting' ? calledJob(job, now()) : null, result }
        })
      : await updateDocument(store, { ...from, read: (own) => readStepOrPlan(own, visitor) }, (step) => {
          const result = standingOf(step, visitor, key)
          return { write: result === 'waiting' ? calledStep(step, now()) : null, result }
        })
  return update.kind === 'missing' ? 'gone' : update.result
}
