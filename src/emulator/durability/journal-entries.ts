import { epkOf, type DocumentVersion, type JournalRecord, type VersionChange } from '../engine/index.js'

/** A document to write, which becomes text only when its group is written. */
export interface DocumentEntry {
  readonly containerRid: string
  readonly version: DocumentVersion
}

/** Writes that become durable together: the newest value of each key, or null to remove the key. */
export interface Group {
  readonly entries: Map<string, string | DocumentEntry | null>
  /** The prefixes whose keys are removed before the entries are written. */
  readonly cleared: Set<string>
  readonly durable: Promise<void>
  readonly begin: () => void
}

export function addTo(group: Group, record: JournalRecord): void {
  const { entries } = group
  switch (record.kind) {
    case 'database':
    case 'container':
    case 'offer':
    case 'user':
    case 'permission':
      entries.set(`${record.kind}/${record.rid}`, textOf(record.value))
      if (record.kind === 'container' && record.value === null) clearContainer(group, record.rid)
      return
    case 'partition':
      entries.set(`${partitionPrefix(record.containerRid)}${record.id}`, textOf(record.value))
      return
    case 'document':
      entries.set(documentKey(record.containerRid, record.number), entryOf(record))
      return
    case 'change':
      entries.set(
        changeKey(record.containerRid, record.change),
        record.isForgotten ? null : textOf(record.change),
      )
      return
    case 'history':
      if (record.floors === null) clear(group, historyPrefix(record.containerRid))
      else entries.set(floorsKey(record.containerRid), textOf(record.floors))
  }
}

function entryOf({
  containerRid,
  value: version,
}: JournalRecord & { readonly kind: 'document' }): DocumentEntry | null {
  return version === null ? null : { containerRid, version }
}

function textOf(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value)
}

function clearContainer(group: Group, rid: string): void {
  for (const prefix of [documentPrefix, partitionPrefix, historyPrefix]) clear(group, prefix(rid))
}

/** Removes all entries whose keys begin with a prefix, both on disk and in this group. */
function clear({ entries, cleared }: Group, prefix: string): void {
  cleared.add(prefix)
  for (const key of entries.keys()) if (key.startsWith(prefix)) entries.delete(key)
}

function partitionPrefix(containerRid: string): string {
  return `partition/${containerRid}/`
}

function historyPrefix(containerRid: string): string {
  return `history/${containerRid}/`
}

export function floorsKey(containerRid: string): string {
  return `${historyPrefix(containerRid)}floors`
}

export function changePrefix(containerRid: string): string {
  return `${historyPrefix(containerRid)}change/`
}

/**
 * Returns the key of a change. A partition key is in only one partition at a time, so the partition key and
 * the LSN identify a transaction, even after splits and merges.
 */
function changeKey(containerRid: string, change: VersionChange): string {
  const lsn = String(change.lsn).padStart(16, '0')
  return `${changePrefix(containerRid)}${lsn}/${String(change.place).padStart(3, '0')}/${epkOf(change)}`
}

export function documentPrefix(containerRid: string): string {
  return `document/${containerRid}/`
}

export function documentKey(containerRid: string, number: number): string {
  return `${documentPrefix(containerRid)}${String(number).padStart(16, '0')}`
}

/** Returns the number of the document that a key belongs to, or null if it belongs to another record. */
export function documentNumber(key: string): number | null {
  return key.startsWith('document/') ? Number(key.slice(-16)) : null
}

/** Returns the part of a key that the records of one list share, or the whole key if it is in no list. */
export function keyPrefix(key: string): string {
  return listPrefix.exec(key)?.[0] ?? key
}

const listPrefix = /^(?:document\/[^/]*\/|history\/[^/]*\/change\/|(?!document|history)[^/]*\/)/u

export function rangeOf(prefix: string): { readonly start: string; readonly end: string } {
  return { start: prefix, end: `${prefix}\u{10ffff}` }
}
