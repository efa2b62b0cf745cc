import { gateDocumentId, limitDecisionsId } from '../model/document-ids.js'
import { continuingSchema } from '../model/documents.js'
import { limitDecisionsSchema, type LimitDecision } from '../model/gate-documents.js'
import { replacing, type StateStore, type StateWrite } from '../store/state-store.js'

/** The largest number of decisions that are kept for a limit. */
const maxDecisions = 100

/**
 * Returns the write that keeps a decision, for the transaction that changes the gate. Returns no write if an earlier
 * try, whose answer was lost, has kept the decision.
 */
export async function keptDecision(
  store: StateStore,
  key: string,
  made: LimitDecision,
): Promise<readonly StateWrite[]> {
  const address = { pk: gateDocumentId(key), id: limitDecisionsId }
  const stored = await store.read(address)
  const read = limitDecisionsSchema.safeParse(stored)
  const known = read.success ? read.data.audit : []
  if (known.some(({ at, by, command }) => at === made.at && by === made.by && command === made.command)) {
    return []
  }
  const document = {
    ...address,
    type: 'sas.limitDecisions',
    schema: continuingSchema,
    key,
    audit: [...known, made].slice(-maxDecisions),
    operatedAtMs: Date.parse(made.at),
    ttl: -1,
  }
  return [stored === null ? { kind: 'create', document } : replacing(stored, document)]
}
