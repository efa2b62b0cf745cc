import type { Clock } from '../../platform/index.js'
import { readOptions } from '../../platform/options.js'
import { decodeDocument } from '../model/decode.js'
import { fleetDecisionsId } from '../model/document-ids.js'
import { basicSchema } from '../model/documents.js'
import { CommandInvalid, StoreRefused } from '../model/errors.js'
import type { FleetDecision, FleetDecisionsDocument } from '../model/operator-documents.js'
import { personName, reasonText } from '../model/values/said-texts.js'
import type { StateStore, Stored } from '../store/state-store.js'
import { updateShared } from '../store/update-document.js'

/** A decision of an operator about instances, before its time is known. */
export type FleetDecisionTerms = Omit<FleetDecision, 'at'>

/** The largest number of operators' decisions that the document keeps. */
const maxAuditEntries = 100

const address = { pk: fleetDecisionsId, id: fleetDecisionsId }

/** Returns the document before the first decision. */
export function noFleetDecisions(): FleetDecisionsDocument {
  return { ...address, type: 'sas.fleetDecisions', schema: basicSchema, audit: [], operatedAtMs: 0, ttl: -1 }
}

/**
 * Returns the document with one more decision, or null if it has this decision already. An earlier try, whose answer was
 * lost, may have written it.
 */
export function withFleetDecision(
  document: FleetDecisionsDocument,
  made: FleetDecision,
): FleetDecisionsDocument | null {
  if (document.audit.some((kept) => isSame(kept, made))) return null
  const audit = [...document.audit, made].slice(-maxAuditEntries)
  // The clocks of two operators may differ, and the audit lists documents by this time.
  return { ...document, audit, operatedAtMs: Math.max(document.operatedAtMs, Date.parse(made.at)) }
}

function isSame(one: FleetDecision, other: FleetDecision): boolean {
  return (Object.keys(other) as (keyof FleetDecision)[]).every((name) => one[name] === other[name])
}

/**
 * Refuses a name or a reason that could not be recorded, before anything is changed.
 *
 * @throws CommandInvalid that lists what is wrong
 */
export function refuseFleetTerms(
  command: FleetDecision['command'],
  terms: { by: string; why: string },
): void {
  const { by, why } = terms
  const { problems } = readOptions({ by: personName, why: reasonText }, { by, why })
  if (problems.length > 0) throw new CommandInvalid(`${command}: ${problems.join('; ')}`)
}

/**
 * Records a decision about instances, after the instances were changed.
 *
 * @throws StoreUnavailable if the store could not be reached; the decision may have been recorded
 * @throws StoreRefused if the stored decisions cannot be read
 */
export async function recordFleetDecision(
  {
    store,
    clock,
  }: { readonly store: Pick<StateStore, 'read' | 'apply'>; readonly clock: Pick<Clock, 'now'> },
  terms: FleetDecisionTerms,
): Promise<void> {
  const made = { ...terms, at: new Date(clock.now()).toISOString() }
  const shared = { id: fleetDecisionsId, read: () => readFleetDecisions(store), first: noFleetDecisions }
  await updateShared(store, shared, (document) => withFleetDecision(document, made))
}

/** Reads the document. Returns null if it is missing. */
async function readFleetDecisions(
  store: Pick<StateStore, 'read'>,
): Promise<Stored<FleetDecisionsDocument> | null> {
  const document = await store.read(address)
  if (document === null) return null
  const decoded = decodeDocument(document)
  if (decoded.kind === 'fleetDecisions') {
    return { ...decoded.decisions, _etag: document._etag, _ts: document._ts }
  }
  const why = decoded.kind === 'newerSchema' ? 'a newer version has written it' : 'it is damaged'
  throw new StoreRefused(`document ${fleetDecisionsId} cannot be read: ${why}`)
}
