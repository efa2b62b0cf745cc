import { decodeDocument, type StepDocument } from './documents.js'
import { replacing, type DocumentAddress, type StateStore, type Stored } from './state-store.js'

/** What a decision about one step asks for: the step to write, or nothing; and what to tell whoever asked. */
export interface StepDecision<R> {
  readonly write: StepDocument | null
  readonly result: R
}

/** How {@link updateStep} ended. */
export type StepUpdate<R> =
  | { readonly kind: 'written'; readonly step: StepDocument; readonly result: R }
  /** The decision was to write nothing. */
  | { readonly kind: 'unchanged'; readonly result: R }
  /** The step is gone, or not readable any more. */
  | { readonly kind: 'missing' }

/** Decisions about one step before giving up; a step has at most two writers at a time, so more means trouble. */
const maxTries = 6

/**
 * Read → decide → write on condition of the etag; after a lost race or an unknown outcome, read again and decide on
 * what is there. Deciding twice is harmless because decisions look at state.
 *
 * @param known the step as last seen, to save the first read
 * @throws Error when the step stays contended, and whatever the store throws
 */
export async function updateStep<R>(
  store: StateStore,
  address: DocumentAddress,
  known: Stored<StepDocument> | null,
  decide: (step: StepDocument) => StepDecision<R>,
): Promise<StepUpdate<R>> {
  let before = known
  for (let tries = 0; tries < maxTries; tries += 1) {
    before ??= await readStep(store, address)
    if (before === null) return { kind: 'missing' }
    const { write, result } = decide(before)
    if (write === null) return { kind: 'unchanged', result }
    const applied = await store.apply(before.pk, [replacing(before, write)])
    if (applied.kind === 'applied') return { kind: 'written', step: write, result }
    before = null
  }
  throw new Error(`document ${address.id}: still contended after ${maxTries} tries`)
}

async function readStep(store: StateStore, address: DocumentAddress): Promise<Stored<StepDocument> | null> {
  const document = await store.read(address)
  if (document === null) return null
  const decoded = decodeDocument(document)
  return decoded.kind === 'step' ? { ...decoded.step, _etag: document._etag, _ts: document._ts } : null
}
