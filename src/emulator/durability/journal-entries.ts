import { epkOf } from '../engine/index.js'
import type { JournalRecord, VersionChange, VersionFields } from '../engine/index.js'

/** Writes that become durable together: the newest value of each key, or null to remove it. */
export interface Group {
  readonly entries: Map<string, string | null>
  /** Key prefixes to clear first. */
  readonly cleared: Set<string>
  readonly durable: Promise<void>
  readonly begin: () => void
}

export function addTo(group: Group, record: JournalRecord): void {
  const { entries } = group
  switch (record.kind) {
    case 'database':
      entries.set(`database/${record.database.rid}`, JSON.stringify(record.database))
      return
    case 'databaseDeleted':
      entries.set(`database/${record.rid}`, null)
      return
    case 'container':
      entries.set(`container/${record.container.rid}`, JSON.stringify(record.container))
      return
    case 'containerDeleted':
      entries.set(`container/${record.rid}`, null)
      for (const prefix of [documentPrefix, partitionPrefix, historyPrefix]) {
        clear(group, prefix(record.rid))
      }
      return
    case 'change':
      entries.set(changeKey(record.containerRid, record.change), JSON.stringify(record.change))
      return
    case 'changeForgotten':
      entries.set(changeKey(record.containerRid, record.change), null)
      return
    case 'historyFloors':
      entries.set(floorsKey(record.containerRid), JSON.stringify(record.floors))
      return
    case 'historyDropped':
      clear(group, historyPrefix(record.containerRid))
      return
    case 'partition': {
      const { containerRid, id } = record.partition
      entries.set(`${partitionPrefix(containerRid)}${id}`, JSON.stringify(record.partition))
      return
    }
    case 'partitionDeleted':
      entries.set(`partition/${record.containerRid}/${record.id}`, null)
      return
    case 'offer':
      entries.set(`offer/${record.offer.rid}`, JSON.stringify(record.offer))
      return
    case 'offerDeleted':
      entries.set(`offer/${record.rid}`, null)
      return
    case 'document':
      entries.set(documentKey(record.containerRid, record.version.number), encodedVersion(record.version))
      return
    case 'documentDeleted':
      entries.set(documentKey(record.containerRid, record.number), null)
  }
}

/** Removes what is on disk under a prefix, and what would have come there. */
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

/** A key is in one partition at a time, so it and the LSN name a transaction whatever was split or merged. */
function changeKey(containerRid: string, change: VersionChange): string {
  const lsn = String(change.lsn).padStart(16, '0')
  return `${changePrefix(containerRid)}${lsn}/${String(change.place).padStart(3, '0')}/${epkOf(change)}`
}

export function documentPrefix(containerRid: string): string {
  return `document/${containerRid}/`
}

function documentKey(containerRid: string, number: number): string {
  return `${documentPrefix(containerRid)}${String(number).padStart(16, '0')}`
}

export function rangeOf(prefix: string): { readonly start: string; readonly end: string } {
  return { start: prefix, end: `${prefix}\u{10ffff}` }
}

/** The document's text is kept as it is, after a line with the rest, so that reading it back parses little. */
function encodedVersion({ text, ...fields }: VersionFields): string {
  return `${JSON.stringify(fields)}\n${text}`
}
