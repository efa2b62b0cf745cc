import type { JobDocument, StepDocument } from '../model/documents.js'
import { jobDocumentId } from '../model/document-ids.js'
import { decodeDocument } from '../model/decode.js'
import type { FleetDecisionsDocument, PausesDocument } from '../model/operator-documents.js'
import { StoreUnavailable } from '../model/errors.js'
import { etagOfPlanned, plannedSteps, withDocumentsOf } from '../model/planned/planned-steps.js'
import {
  asStored,
  replacing,
  type DocumentAddress,
  type StateDocument,
  type StateStore,
  type StateWrite,
  type Stored,
} from './state-store.js'
import { applyOverLeftOver } from './left-over.js'
import { fits } from './transaction.js'
import { UnclearWrites } from './unclear-writes.js'

/** A decision about one document: the document to write (or null), and a result for the caller. */
export interface DocumentDecision<T, R> {
  readonly write: T | null
  /** Additional documents that are created in the same transaction. */
  readonly created?: readonly StateDocument[]
  readonly result: R
}

export type DocumentUpdate<T, R> =
  | { readonly kind: 'written'; readonly document: Stored<T>; readonly result: R }
  | { readonly kind: 'unchanged'; readonly result: R }
  /** The document is gone or unreadable. */
  | { readonly kind: 'missing' }

/** The address of a document, the function that reads it, and a known version, which saves the first read. */
export interface Updated<T> {
  readonly address: DocumentAddress
  readonly known: Stored<T> | null
  readonly read: (store: StateStore, address: DocumentAddress) => Promise<Stored<T> | null>
  /** The number of tries. The default suits a document with few writers. */
  readonly maxTries?: number
}

/**
 * The number of tries to update one document. More tries would not help, because most documents have few
 * writers.
 */
const defaultTries = 6

/**
 * Reads a document, decides, and writes only if the etag is unchanged. If another write came first or the
 * outcome is unknown, reads and decides again. Decisions depend only on the state, so they may be repeated.
 *
 * @throws StoreUnavailable if other writers keep changing the document; also any error of the store
 */
export async function updateDocument<T extends JobDocument | StepDocument, R>(
  store: StateStore,
  { address, known, read, maxTries = defaultTries }: Updated<T>,
  decide: (document: Stored<T>) => DocumentDecision<T, R>,
): Promise<DocumentUpdate<T, R>> {
  const unclear = new UnclearWrites(`document ${address.id}`)
  let before = known
  for (let tries = 0; tries < maxTries; tries += 1) {
    before ??= await read(store, address)
    if (before === null) return { kind: 'missing' }
    const { write, created = [], result } = decide(before)
    if (write === null) return { kind: 'unchanged', result }
    const creates = created.map((document) => ({ kind: 'create' as const, document }))
    const isInJob = before._etag === etagOfPlanned
    const job = isInJob ? await jobOfPlanned(store, before as StepDocument) : null
    // The step may have got its document meanwhile.
    if (isInJob && job === null) {
      before = null
      continue
    }
    // A conflict of the job comes first, because the step may have got its document since the job was read.
    const ofJob = job === null ? [] : [replacing(job, withDocumentsOf(job, [write as StepDocument]))]
    const together = [...ofJob, replacing(before, write), ...creates]
    // The step alone may be small enough, so it gets a document first.
    const isFirst = job !== null && !fits(together)
    const writes = isFirst ? [...ofJob, replacing(before, before)] : together
    // What is in the place of the step may be left over from an earlier job with this id.
    const apply = job === null ? store.apply.bind(store) : applyOverLeftOver.bind(null, store)
    const applied = await unclear.write(() => apply(address.pk, writes))
    if (applied.kind === 'applied' && !isFirst) {
      const version = { _etag: applied.etags[ofJob.length] ?? '', _ts: before._ts }
      return { kind: 'written', document: asStored(write, version), result }
    }
    // Until it has a document, a step that is only in its job cannot be read alone.
    if (!isInJob || applied.kind === 'applied') before = null
  }
  const message = `document ${address.id}: another writer changed it first in each of ${maxTries} tries`
  throw new StoreUnavailable(message, { cause: null })
}

/** Returns the job that has this step without a document, or null if the step is not only in its job any more, or is done (I45, I47). */
async function jobOfPlanned(
  store: StateStore,
  { pk, jobId, stepId, fence, lockedBy }: StepDocument,
): Promise<Stored<JobDocument> | null> {
  const job = await readJob(store, { pk, id: jobDocumentId(jobId) })
  const planned = job === null ? undefined : plannedSteps(job).get(stepId)
  return planned?.fence === fence && planned.lockedBy === lockedBy ? job : null
}

/** Reads the step at this address. Returns null if the step is missing or unreadable. */
export async function readStep(
  store: StateStore,
  address: DocumentAddress,
): Promise<Stored<StepDocument> | null> {
  const document = await store.read(address)
  const decoded = document === null ? null : decodeDocument(document)
  if (document === null || decoded?.kind !== 'step') return null
  return asStored(decoded.step, document)
}

/** Reads the job at this address. Returns null if the job is missing or unreadable. */
export async function readJob(
  store: StateStore,
  address: DocumentAddress,
): Promise<Stored<JobDocument> | null> {
  const document = await store.read(address)
  const decoded = document === null ? null : decodeDocument(document)
  if (document === null || decoded?.kind !== 'job') return null
  return asStored(decoded.job, document)
}

/** The number of tries to change a document that many operators may change. */
const sharedTries = 10

/** A document that is alone in its partition, whose key is its id: how it is read, and what it is before the first change. */
export interface Shared<T> {
  readonly id: string
  readonly read: () => Promise<Stored<T> | null>
  readonly first: () => T
}

/**
 * Changes a document of operators, and creates it if it is missing. Returns the document as it is stored then, or null if
 * `decide` returned null.
 *
 * @throws StoreUnavailable if other writers keep changing the document; also any error of the store
 */
export async function updateShared<T extends FleetDecisionsDocument | PausesDocument>(
  store: Pick<StateStore, 'apply'>,
  { id, read, first }: Shared<T>,
  decide: (document: T) => T | null,
): Promise<T | null> {
  const unclear = new UnclearWrites(`document ${id}`)
  for (let tries = 0; tries < sharedTries; tries += 1) {
    const before = await read()
    const after = decide(before ?? first())
    if (after === null) return null
    const write: StateWrite = before === null ? { kind: 'create', document: after } : replacing(before, after)
    const result = await unclear.write(() => store.apply(id, [write]))
    if (result.kind === 'applied') return after
  }
  const message = `document ${id}: another writer changed it first in each of ${sharedTries} tries`
  throw new StoreUnavailable(message, { cause: null })
}
