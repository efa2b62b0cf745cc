import type { Clock, Random } from '../../platform/index.js'
import { retry } from '../../platform/internal.js'
import { claimAfterwards, giveBack, mayWait, type Claimant } from '../decisions/claim.js'
import type { StepDocument } from '../model/documents.js'
import { StoreUnavailable } from '../model/errors.js'
import type { StateStore, Stored } from '../store/state-store.js'
import { readStep, updateDocument } from '../store/update-document.js'

interface Leaving {
  readonly store: StateStore
  readonly clock: Clock
}

/** A host that stops has little time. */
const shortRetry = { tries: 4, backoff: { minMs: 50, maxMs: 200 } }

/** Claims an attempt whose time is up without an outcome. If this fails, a later report in the lease says that it began. */
export async function sayThatItBegan(
  { store, clock }: Leaving,
  step: Stored<StepDocument>,
  claimant: Claimant,
): Promise<void> {
  if (!mayWait(step)) return
  const from = { address: step, known: step, read: readStep }
  const decide = (current: StepDocument) => {
    return { write: claimAfterwards(current, claimant, clock.now()), result: null }
  }
  await updateDocument(store, from, decide).catch(() => undefined)
}

/**
 * Offers the step again, because this host stops. Returns whether the offer was written. If another process has written the
 * step, that process may be making the same attempt, so nothing is written. Then, or if the store does not answer, the
 * supervisor recovers the attempt after its deadline.
 */
export function offerAgain(
  { store, clock, random }: Leaving & { readonly random: Random },
  step: Stored<StepDocument>,
): Promise<boolean> {
  const from = { address: step, known: step, read: readStep }
  const decide = (current: Stored<StepDocument>) => {
    const isOurs = current._etag === step._etag
    return { write: isOurs ? giveBack(current, step.fence, clock.now()) : null, result: null }
  }
  const write = retry(() => updateDocument(store, from, decide), {
    clock,
    random,
    ...shortRetry,
    isTransient: (error) => error instanceof StoreUnavailable,
  })
  return write.then(
    ({ kind }) => kind === 'written',
    () => false,
  )
}
