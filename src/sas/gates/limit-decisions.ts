import { decisionsAddress } from './home.js'
import { continuingSchema } from '../model/documents.js'
import { limitDecisionsSchema, type LimitDecision } from '../model/gate-documents.js'
import { replacing, type StateStore, type StateWrite } from '../store/state-store.js'

/** The largest number of decisions that are kept for a limit. */
const maxDecisions = 100

/**
 * Returns the write that keeps decisions, for the transaction that changes the gate. One write keeps them all, because
 * they are in one document. Returns no write if an earlier try, whose answer was lost, has kept them.
 */
export async function keptDecisions(
  store: StateStore,
  key: string,
  made: readonly LimitDecision[],
): Promise<readonly StateWrite[]> {
  if (made.length === 0) return []
  const address = decisionsAddress(key)
  const stored = await store.read(address)
  const read = limitDecisionsSchema.safeParse(stored)
  const known = read.success ? read.data.audit : []
  const isKept = ({ at, by, command }: LimitDecision): boolean =>
    known.some((kept) => kept.at === at && kept.by === by && kept.command === command)
  const added = made.filter((each) => !isKept(each))
  if (added.length === 0) return []
  const document = {
    ...address,
    type: 'sas.limitDecisions',
    schema: continuingSchema,
    key,
    audit: [...known, ...added].slice(-maxDecisions),
    operatedAtMs: Math.max(...added.map(({ at }) => Date.parse(at))),
    ttl: -1,
  }
  return [stored === null ? { kind: 'create', document } : replacing(stored, document)]
}
