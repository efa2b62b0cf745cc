import { decodeDocument } from '../model/decode.js'
import { pausesDocumentId } from '../model/document-ids.js'
import { continuingSchema } from '../model/documents.js'
import type { PausedWith, PauseEntry, PausesDocument } from '../model/operator-documents.js'
import type { StateStore, Stored } from '../store/state-store.js'
import { updateShared } from '../store/update-document.js'

/** Who pauses or resumes, and why. */
export interface PauseTerms extends PausedWith {
  readonly by: string
  readonly why: string
}

/**
 * The times, after a decision of an operator, at which a supervisor tells the jobs. The second time finds the jobs
 * that a scheduler began before it knew of a pause. A third one finds jobs that an old query has missed.
 */
const sweepsAfterMs = { on: [0, 60_000], ending: [0, 60_000, 600_000] } as const

/** The largest number of operators' decisions that the document keeps. */
const maxAuditEntries = 100

const pausesAddress = { pk: pausesDocumentId, id: pausesDocumentId }

/** Returns the document before the first pause. */
export function noPauses(): PausesDocument {
  return {
    ...pausesAddress,
    type: 'sas.pauses',
    schema: continuingSchema,
    stampMs: 0,
    entries: [],
    audit: [],
    operatedAtMs: 0,
    completeByMs: null,
    ttl: -1,
  }
}

/** Reads the pauses. Returns null if the document is missing or unreadable. */
export async function readPauses(store: Pick<StateStore, 'read'>): Promise<Stored<PausesDocument> | null> {
  const document = await store.read(pausesAddress)
  const decoded = document === null ? null : decodeDocument(document)
  if (document === null || decoded?.kind !== 'pauses') return null
  return { ...decoded.pauses, _etag: document._etag, _ts: document._ts }
}

export function isOf({ kind, name }: PausedWith): (entry: PausedWith) => boolean {
  return (entry) => entry.kind === kind && entry.name === name
}

/** Returns the pauses with one more, or null if this workflow or agent is paused already. */
export function withPause(pauses: PausesDocument, terms: PauseTerms, now: number): PausesDocument | null {
  const { kind, name, by, why } = terms
  const known = pauses.entries.find(isOf(terms))
  if (known?.phase === 'on') return null
  const since = new Date(now).toISOString()
  const entry = { kind, name, since, by, why, phase: 'on' as const, resumed: null }
  return decided(pauses, entry, { command: 'pause', at: since, kind, name, by, why }, now)
}

/** Returns the pauses with one that ends, or null if this workflow or agent is not paused. */
export function withoutPause(pauses: PausesDocument, terms: PauseTerms, now: number): PausesDocument | null {
  const { kind, name, by, why } = terms
  const known = pauses.entries.find(isOf(terms))
  if (known?.phase !== 'on') return null
  const at = new Date(now).toISOString()
  const entry = { ...known, phase: 'ending' as const, resumed: { at, by, why } }
  return decided(pauses, entry, { command: 'resume', at, kind, name, by, why }, now)
}

function decided(
  pauses: PausesDocument,
  entry: Omit<PauseEntry, 'stampMs' | 'sweeps' | 'sweepAtMs'>,
  made: PausesDocument['audit'][number],
  now: number,
): PausesDocument {
  const stampMs = Math.max(now, pauses.stampMs + 1)
  const others = pauses.entries.filter((each) => !isOf(entry)(each))
  const entries = [...others, { ...entry, stampMs, sweeps: 0, sweepAtMs: now }]
  const audit = [...pauses.audit, made].slice(-maxAuditEntries)
  return withNextSweep({ ...pauses, stampMs, entries, audit, operatedAtMs: now })
}

/**
 * Returns the pauses after a supervisor has told the jobs of an entry. An entry that has ended is removed after its
 * last sweep. Returns null if an operator has changed the entry meanwhile.
 */
export function withSweep(
  pauses: PausesDocument,
  swept: PauseEntry,
  hasFoundJobs: boolean,
): PausesDocument | null {
  const known = pauses.entries.find(isOf(swept))
  if (known?.stampMs !== swept.stampMs || known.sweeps !== swept.sweeps) return null
  const sweeps = known.sweeps + 1
  const times = sweepsAfterMs[known.phase]
  const afterMs = times[sweeps]
  const isRepeated = afterMs === undefined && hasFoundJobs && known.phase === 'ending'
  const next = isRepeated ? (known.sweepAtMs ?? 0) + sweepsAfterMs.on[1] : known.stampMs + (afterMs ?? 0)
  const others = pauses.entries.filter((each) => each !== known)
  const isOver = afterMs === undefined && !isRepeated
  const after = { ...known, sweeps: isRepeated ? known.sweeps : sweeps, sweepAtMs: isOver ? null : next }
  const entries = isOver && known.phase === 'ending' ? others : [...others, after]
  return withNextSweep({ ...pauses, stampMs: pauses.stampMs + 1, entries })
}

function withNextSweep(pauses: PausesDocument): PausesDocument {
  const times = pauses.entries.flatMap(({ sweepAtMs }) => sweepAtMs ?? [])
  return { ...pauses, completeByMs: times.length === 0 ? null : Math.min(...times) }
}

/**
 * Changes the pauses, if `decide` returns a document. Returns the document as it is stored then, or null if
 * `decide` returned null.
 *
 * @throws StoreUnavailable if the store could not be reached
 */
export function updatePauses(
  store: StateStore,
  decide: (pauses: PausesDocument) => PausesDocument | null,
): Promise<PausesDocument | null> {
  return updateShared(store, { id: pausesDocumentId, read: () => readPauses(store), first: noPauses }, decide)
}
