import type { ApplyResult, StateStore, StateWrite } from './state-store.js'

/**
 * Applies the writes of a job. If a planned step finds the document of an earlier job with this id, which is expiring, the
 * step replaces it. A document that does not expire is not replaced: its agents may still be at work.
 *
 * @throws Error if a document that does not expire is in the place of a planned step; nothing was written
 */
export async function applyOverLeftOver(
  store: StateStore,
  partition: string,
  writes: readonly StateWrite[],
): Promise<ApplyResult> {
  let left = writes
  for (;;) {
    const result = await store.apply(partition, left)
    if (result.kind !== 'conflict' || result.reason !== 'exists' || !isStep(left, result.id)) return result
    const { id } = result
    const found = await store.read({ pk: partition, id })
    if (found === null) return result
    if (typeof found['ttl'] !== 'number' || found['ttl'] === -1) {
      throw new Error(`document ${JSON.stringify(id)} exists already without a job; remove it`)
    }
    left = left.map((write): StateWrite => {
      if (write.document.id !== id) return write
      return { kind: 'replace', document: write.document, ifMatch: found._etag }
    })
  }
}

/** Checks whether a write creates the document of a step. A notice or a limit exists already if another instance was first. */
function isStep(writes: readonly StateWrite[], id: string): boolean {
  return writes.some(
    ({ kind, document }) => kind === 'create' && document.id === id && document['type'] === 'sas.step',
  )
}
