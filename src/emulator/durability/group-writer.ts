import type * as Lmdb from 'lmdb'
import type { ContainerRecord } from '../engine/index.js'
import type { DocumentTemplates } from './document-templates.js'
import { decodedHead, encodedDocument } from './document-record.js'
import { FindingEntries } from './finding-entries.js'
import {
  type DocumentEntry,
  type Group,
  documentKey,
  documentPrefix,
  emptyGroup,
  expiryPrefix,
  isDocument,
  isEmpty,
  isSummaryKey,
  lifetimeIn,
  numberIn,
  rangeOf,
  templateKey,
} from './journal-entries.js'
import { RecordTotal, sealed, sealIn, sealOf, unsealed, unsealedBytes } from './record-checksum.js'
import { logKey, totalKey } from './store-check.js'

type Store = Lmdb.RootDatabase<string, string>

/** The newest values of keys, or null for keys to remove. */
type Changes = Map<string, string | DocumentEntry | null>

/** Keys with their records as they are on disk, or null for keys to remove. */
type Records = (readonly [key: string, record: string | null])[]

/** The most documents that one transaction of the store writes, so that it does not block the process for long. */
const documentsAtATime = 128

/**
 * Cuts a group into groups that are written one after another. Documents are in the order of their numbers. A summary is
 * removed before the documents that it counts change, and written after them. So a summary in the store is always valid.
 */
export function* slicesOf({
  entries,
  cleared,
  removed,
  lifetimes,
  applied,
}: Group): Generator<Group, void, undefined> {
  const first: Group = { ...emptyGroup(), cleared, removed, lifetimes }
  const last: Group = { ...emptyGroup(), applied }
  const documents: (readonly [string, DocumentEntry])[] = []
  for (const [key, entry] of entries) {
    if (isDocument(entry)) documents.push([key, entry])
    else (entry !== null && isSummaryKey(key) ? last : first).entries.set(key, entry)
  }
  yield first
  documents.sort(([one], [other]) => (one < other ? -1 : 1))
  for (let at = 0; at < documents.length; at += documentsAtATime) {
    yield { ...emptyGroup(), entries: new Map(documents.slice(at, at + documentsAtATime)) }
  }
  if (!isEmpty(last)) yield last
}

/**
 * Writes groups, one after another, each in one transaction of LMDB: the records of the group, the records that
 * find its documents (see `FindingEntries`), and the total of all checksums.
 */
export class GroupWriter {
  /** The total of all records on disk and in the group that is being written. */
  private readonly total: RecordTotal
  /** The time to live of the documents of each container. */
  private readonly lifetimes: Map<string, number | null>

  constructor(
    private readonly store: Store,
    private readonly templates: DocumentTemplates,
  ) {
    this.total = totalOf(store)
    const containers = Array.from(
      store.getRange(rangeOf('container/')),
      ({ value }) => JSON.parse(unsealed(value)) as ContainerRecord,
    )
    this.lifetimes = new Map(containers.map((record) => [record.rid, lifetimeIn(record)]))
  }

  /** @param log which logs the store needs from now on, if that changes (see `WriteAheadLog`) */
  async write(group: Group, log?: string): Promise<void> {
    // Makes the writes of earlier groups visible, so that records are removed and counted correctly.
    this.store.resetReadTxn()
    const records = this.recordsOf(group)
    if (log !== undefined) records.push([logKey, sealed(logKey, log)])
    // The promises are in a set, because most writes of a batch share one promise.
    const writes = new Set<Promise<unknown>>()
    // The callback only writes: LMDB would commit what precedes an error that the callback throws.
    const batch = this.store.batch(() => {
      for (const [key, record] of records) {
        writes.add(record === null ? this.store.remove(key) : this.store.put(key, record))
      }
    })
    await allDone([batch, ...writes])
    // From now on, documents may leave memory, so the next read must find them on disk.
    this.store.resetReadTxn()
    for (const entry of group.entries.values()) if (isDocument(entry)) entry.stored()
    for (const applied of group.applied) applied()
  }

  /** Returns what the group changes, and takes the records that it replaces out of the total. */
  private changesOf({ entries, cleared, removed, lifetimes }: Group): Changes {
    const gone = [...cleared].flatMap((prefix) => [...this.store.getKeys(rangeOf(prefix))])
    const changes: Changes = new Map([...gone.map((key) => [key, null] as const), ...entries])
    const finding = new FindingEntries((key) => this.textOf(key))
    const retimed = this.retimed(lifetimes)
    for (const [rid, lifetime] of retimed) this.retime(rid, lifetime, { finding, entries })
    const hasNewTimes = new Set(retimed.map(([rid]) => rid))
    for (const [rid, lifetime] of lifetimes) this.lifetimes.set(rid, lifetime)
    for (const rid of removed) {
      this.templates.forget(rid)
      this.lifetimes.delete(rid)
    }
    for (const [key, entry] of changes) {
      const before = this.store.getBinaryFast(key)
      if (before !== undefined) this.total.remove(sealIn(before))
      // A changed document removes the summaries of its block and chapter. Most that change have none, so there is no entry.
      else if (entry === null) changes.delete(key)
      if (!isDocument(entry)) continue
      const { containerRid, number, version } = entry
      const head = before === undefined ? null : decodedHead(number, unsealedBytes(bufferOf(before)))
      const after = this.lifetimes.get(containerRid) ?? null
      // The places by the old time to live are removed already.
      finding.change(containerRid, head, version, {
        before: hasNewTimes.has(containerRid) ? null : after,
        after,
      })
    }
    for (const [key, text] of finding.changed) {
      const before = this.store.getBinaryFast(key)
      if (before !== undefined) this.total.remove(sealIn(before))
      changes.set(key, text)
    }
    return changes
  }

  /** Returns the containers in the store whose documents get another time to live. */
  retimed(lifetimes: Group['lifetimes']): readonly (readonly [rid: string, lifetime: number | null])[] {
    return [...lifetimes].filter(([rid, lifetime]) => {
      const before = this.lifetimes.get(rid)
      return before !== undefined && before !== lifetime
    })
  }

  /** Finds the documents of a container by their new time to live, except those that the group writes. */
  private retime(
    rid: string,
    lifetime: number | null,
    { finding, entries }: { readonly finding: FindingEntries } & Pick<Group, 'entries'>,
  ): void {
    for (const key of this.store.getKeys(rangeOf(expiryPrefix(rid)))) finding.remove(key)
    for (const key of this.store.getKeys(rangeOf(documentPrefix(rid)))) {
      const number = numberIn(key)
      if (entries.has(documentKey(rid, number))) continue
      const value = this.store.getBinaryFast(key)
      if (value === undefined) continue
      finding.expire(rid, decodedHead(number, unsealedBytes(bufferOf(value))), lifetime)
    }
  }

  /** Returns the records to write, or null for keys to remove, and counts them in the total, which is the last one. */
  private recordsOf(group: Group): Records {
    const records: Records = []
    for (const [key, entry] of this.changesOf(group)) {
      const value = isDocument(entry) ? this.encoded(entry, records) : entry
      if (value === null) records.push([key, null])
      else this.add(records, key, value)
    }
    records.push([totalKey, sealed(totalKey, this.total.text)])
    return records
  }

  private add(records: Records, key: string, value: string): void {
    const record = sealed(key, value)
    this.total.add(sealOf(record))
    records.push([key, record])
  }

  /** Returns the record of a document. A new template is written in the same transaction. */
  private encoded({ containerRid: rid, version }: DocumentEntry, records: Records): string | null {
    if (version === null) return null
    return encodedDocument(version, (text, keyText) =>
      this.templates.shortened(rid, { keyText, text }, (number, record) => {
        this.add(records, templateKey(rid, number), record)
      }),
    )
  }

  private textOf(key: string): string | undefined {
    const text = this.store.get(key)
    return text === undefined ? undefined : unsealed(text)
  }
}

/** Returns the total that a store has written. */
export function totalOf(store: Store): RecordTotal {
  return RecordTotal.of(unsealed(store.get(totalKey) ?? ''))
}

/** LMDB sets the length of its shared buffer itself, and methods that copy would ignore that. */
export function bufferOf(bytes: Buffer): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}

/**
 * An error of LMDB, with the cause of a failed commit in a promise. If the promise's rejection is not
 * handled, the process ends.
 */
interface CommitFailure {
  readonly commitError?: Promise<unknown>
}

async function allDone(writes: readonly Promise<unknown>[]): Promise<void> {
  const failures = (await Promise.allSettled(writes)).filter((result) => result.status === 'rejected')
  const reasons = failures.map(({ reason }): unknown => reason)
  for (const reason of reasons) (reason as CommitFailure).commitError?.catch(() => undefined)
  if (reasons.length > 0) throw reasons[0]
}
