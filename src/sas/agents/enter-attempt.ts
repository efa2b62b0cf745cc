import type { Clock } from '../../platform/index.js'
import { claim, joinAttempt, type Claimant, type Claiming } from '../decisions/claim.js'
import type { StepDocument } from '../model/documents.js'
import type { StateStore, Stored } from '../store/state-store.js'
import { readStep, updateDocument } from '../store/update-document.js'

interface Entering {
  readonly store: StateStore
  readonly clock: Clock
}

/**
 * W2: returns the stored step if this process may act on it. Returns null if another process has the attempt,
 * or if the attempt is over.
 */
export function enterAttempt(
  { store, clock }: Entering,
  step: Stored<StepDocument>,
  { claimant, isFirst }: { readonly claimant: Claimant; readonly isFirst: boolean },
): Promise<Stored<StepDocument> | null> {
  if (step.isClaimRequired)
    return writeBefore(store, step, (current) => claim(current, claimant, clock.now()))
  // An undo does not depend on earlier calls. A step with `mayHaveActed` already has the mark.
  if (isFirst || step.mayHaveActed || step.direction === 'undo') return Promise.resolve(step)
  return writeBefore(store, step, (current) => joinAttempt(current, claimant.fence, clock.now()))
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
