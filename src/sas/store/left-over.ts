import type { StepDocument } from '../model/documents.js'
import type { ApplyResult, StateStore, StateWrite, Stored } from './state-store.js'

/** A document that must not be replaced is in the place of a step that has not begun. */
export class PlaceTaken extends Error {
  override readonly name = 'PlaceTaken'

  constructor(documentId: string) {
    super(`document ${JSON.stringify(documentId)} is left over from an earlier job with this id; remove it`)
  }
}

/**
 * Applies the writes of a job. If the create of a step meets the expiring document of an earlier job with this id, it becomes
 * a replace. A document that does not expire is not replaced: its agents may still be at work.
 *
 * @throws PlaceTaken if a document that does not expire, or is unreadable, is in the place of a planned step; nothing was
 *   written
 */
export async function applyOverLeftOver(
  store: StateStore,
  partition: string,
  writes: readonly StateWrite[],
): Promise<ApplyResult> {
  const result = await store.apply(partition, writes)
  if (result.kind !== 'conflict' || result.reason !== 'exists') return result
  const created = writes.find((write) => isCreated(write) && write.document.id === result.id)
  if (created === undefined) return result
  const jobId = String(created.document['jobId'])
  const found = new Map((await store.listSteps(partition, jobId)).map((step) => [step.id, step]))
  const again = await store.apply(
    partition,
    writes.map((write) => (isCreated(write) ? over(found.get(write.document.id), write) : write)),
  )
  // The document is not listed, because it is no step that this version can read.
  const isStillThere = again.kind === 'conflict' && again.reason === 'exists' && again.id === result.id
  if (isStillThere && !found.has(again.id)) throw new PlaceTaken(again.id)
  return again
}

/** Checks whether a write creates the document of a step. A notice or a limit exists already if another instance was first. */
function isCreated({ kind, document }: StateWrite): boolean {
  return kind === 'create' && document['type'] === 'sas.step'
}

function over(found: Stored<StepDocument> | undefined, write: StateWrite): StateWrite {
  if (found === undefined) return write
  if (found.ttl === -1) throw new PlaceTaken(found.id)
  return { kind: 'replace', document: write.document, ifMatch: found._etag }
}
