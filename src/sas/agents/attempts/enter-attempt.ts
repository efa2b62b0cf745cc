import type { Clock } from '../../../platform/index.js'
import type { Processes } from '../../../platform/internal.js'
import { claim, isTaken, joinAttempt, type Claimant, type Claiming } from '../../decisions/claim.js'
import type { StepDocument } from '../../model/documents.js'
import type { StateStore, Stored } from '../../store/state-store.js'
import { readStep, updateDocument } from '../../store/update-document.js'

interface Entering {
  readonly store: StateStore
  readonly clock: Clock
}

/** The process that wants to make an attempt. */
export interface Entrant {
  readonly claimant: Claimant
  readonly isFirst: boolean
  /** The process that has claimed the attempt and has certainly ended. Null if there is none. */
  readonly deadProcess: string | null
}

/** Checks whether this process may act on the step without a write, because no other process can be making the attempt. */
export function entersFirst(step: StepDocument, { isFirst, deadProcess }: Entrant): boolean {
  return isFirst && !step.isClaimRequired && deadProcess === null
}

/**
 * W2: returns the written step if this process may act on it. Returns null if another process has the attempt,
 * or if the attempt is over.
 */
export function enterAttempt(
  { store, clock }: Entering,
  step: Stored<StepDocument>,
  { claimant, deadProcess }: Entrant,
): Promise<Stored<StepDocument> | null> {
  if (step.isClaimRequired || deadProcess !== null)
    return writeBefore(store, step, (current) => claim(current, claimant, clock.now(), deadProcess))
  return writeBefore(store, step, (current) => joinAttempt(current, claimant.fence, clock.now()))
}

/** Returns the process that has taken the attempt, if it ran on this machine and has certainly ended. */
export function deadTaker(step: StepDocument, { hasEnded }: Processes): string | null {
  const taker = isTaken(step) ? step.claim?.process : undefined
  return taker !== undefined && hasEnded(taker) ? taker : null
}

/** Writes a claim or a mark before this process acts, to inform other processes. */
async function writeBefore(
  store: StateStore,
  step: Stored<StepDocument>,
  decide: (current: StepDocument) => Claiming,
): Promise<Stored<StepDocument> | null> {
  const from = { address: step, known: step, read: readStep }
  const update = await updateDocument(store, from, (current) => {
    const claiming = decide(current)
    return {
      write: claiming.kind === 'write' ? claiming.step : null,
      result: claiming.kind === 'held' ? current : null,
    }
  })
  if (update.kind === 'missing') return null
  return update.kind === 'written' ? update.document : update.result
}
