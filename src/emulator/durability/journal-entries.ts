import { crc32 } from 'node:zlib'
import {
  blockOf,
  chapterOf,
  epkOf,
  type ContainerRecord,
  type DocumentVersion,
  type JournalRecord,
  type VersionChange,
} from '../engine/index.js'

/** A document to write, which becomes text only when its group is written, or null to remove it. */
export interface DocumentEntry {
  readonly containerRid: string
  readonly number: number
  readonly version: DocumentVersion | null
  readonly stored: () => void
}

/** Successive writes: the newest value of each key, or null to remove the key. */
export interface Group {
  readonly entries: Map<string, string | DocumentEntry | null>
  /** The prefixes whose keys are removed before the entries are written. */
  readonly cleared: Set<string>
  /** The containers that are removed. */
  readonly removed: Set<string>
  /** The containers whose settings are written, with the time to live of their documents. */
  readonly lifetimes: Map<string, number | null>
  /** Called when the store has all entries. */
  readonly applied: (() => void)[]
}

export function emptyGroup(): Group {
  return { entries: new Map(), cleared: new Set(), removed: new Set(), lifetimes: new Map(), applied: [] }
}

export function isEmpty({ entries, cleared }: Group): boolean {
  return entries.size === 0 && cleared.size === 0
}

/** Adds later writes to a group. */
export function addGroup(group: Group, later: Group): void {
  clear(group, later.cleared)
  for (const rid of later.removed) noteRemoved(group, rid)
  for (const [rid, lifetime] of later.lifetimes) group.lifetimes.set(rid, lifetime)
  for (const [key, entry] of later.entries) group.entries.set(key, entry)
  group.applied.push(...later.applied)
}

export function isDocument(entry: string | DocumentEntry | null): entry is DocumentEntry {
  return typeof entry === 'object' && entry !== null
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
      if (record.kind === 'container') noteContainer(group, record.rid, record.value)
      return
    case 'partition':
      entries.set(`${partitionPrefix(record.containerRid)}${record.id}`, textOf(record.value))
      return
    case 'document':
      entries.set(documentKey(record.containerRid, record.number), entryOf(record))
      removeSummaries(group, record.containerRid, record.number)
      return
    case 'summary':
      setSummary(group, record.containerRid, record)
      return
    case 'chapter':
      entries.set(chapterKey(record.containerRid, record.chapter), record.text)
      group.applied.push(record.stored)
      return
    case 'change':
      entries.set(
        changeKey(record.containerRid, record.change),
        record.isForgotten ? null : textOf(record.change),
      )
      return
    case 'history':
      if (record.floors === null) clear(group, new Set([historyPrefix(record.containerRid)]))
      else entries.set(floorsKey(record.containerRid), textOf(record.floors))
  }
}

function entryOf(record: JournalRecord & { readonly kind: 'document' }): DocumentEntry {
  const { containerRid, number, value: version, stored } = record
  return { containerRid, number, version, stored }
}

function noteContainer(group: Group, rid: string, value: ContainerRecord | null): void {
  if (value === null) clearContainer(group, rid)
  else group.lifetimes.set(rid, lifetimeIn(value))
}

/** Returns the time to live of a container's documents in seconds, or null if they never expire. */
export function lifetimeIn({ definition }: ContainerRecord): number | null {
  const ttl = definition['defaultTtl']
  return typeof ttl === 'number' ? ttl : null
}

function textOf(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value)
}

export const containerPrefix = 'container/'

/** Notes that a container is removed. Its documents then get no new time to live, because their records are removed. */
export function noteRemoved(group: Group, rid: string): void {
  group.removed.add(rid)
  group.lifetimes.delete(rid)
}

function clearContainer(group: Group, rid: string): void {
  noteRemoved(group, rid)
  const ofDocuments = [documentPrefix, idPrefix, logPrefix, expiryPrefix, templatePrefix]
  const prefixes = [...ofDocuments, summaryPrefix, chapterPrefix, partitionPrefix, historyPrefix]
  clear(group, new Set(prefixes.map((prefix) => prefix(rid))))
}

/** Removes all entries whose keys begin with one of these prefixes, both on disk and in this group. */
function clear({ entries, cleared }: Group, prefixes: ReadonlySet<string>): void {
  for (const prefix of prefixes) cleared.add(prefix)
  removeKeys(entries, prefixes)
}

/** Removes the keys that begin with one of these prefixes. */
export function removeKeys(map: Map<string, unknown>, prefixes: ReadonlySet<string>): void {
  if (prefixes.size === 0) return
  for (const key of map.keys()) if (prefixes.has(prefixOf(key))) map.delete(key)
}

/** Returns the part of a key that may be cleared: its kind and its container. */
export function prefixOf(key: string): string {
  return key.slice(0, key.indexOf('/', key.indexOf('/') + 1) + 1)
}

export function partitionPrefix(containerRid: string): string {
  return `partition/${containerRid}/`
}

export const allHistories = 'history/'

function historyPrefix(containerRid: string): string {
  return `${allHistories}${containerRid}/`
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

/** Returns the number of the document at the end of a key. */
export function numberIn(key: string): number {
  return Number(key.slice(-16))
}

/** The numbers of documents, by a hash of their partition key and then one of their id. */
function idPrefix(containerRid: string): string {
  return `by-id/${containerRid}/`
}

export function idKey(containerRid: string, keyText: string, id: string): string {
  return `${idPrefixOfKey(containerRid, keyText)}${hashed(id)}`
}

export function idPrefixOfKey(containerRid: string, keyText: string): string {
  return `${idPrefix(containerRid)}${hashed(keyText)}`
}

function hashed(text: string): string {
  return crc32(text).toString(16).padStart(8, '0')
}

/** The logs of ranges, in pieces of a few LSNs each. */
function logPrefix(containerRid: string): string {
  return `by-lsn/${containerRid}/`
}

/** The number of LSNs in a piece of a log. A piece is written as a whole, so it is small. */
const lsnsPerPiece = 16

export function logPrefixOfRange(containerRid: string, rangeId: string): string {
  return `${logPrefix(containerRid)}${rangeId}/`
}

export function logKey(containerRid: string, rangeId: string, lsn: number): string {
  const piece = Math.floor(lsn / lsnsPerPiece)
  return `${logPrefixOfRange(containerRid, rangeId)}${String(piece).padStart(12, '0')}`
}

/** The documents that expire, by second and number. */
export function expiryPrefix(containerRid: string): string {
  return `by-expiry/${containerRid}/`
}

export function expiryKey(containerRid: string, second: number, number: number): string {
  return `${expiryPrefix(containerRid)}${String(second).padStart(12, '0')}/${String(number).padStart(16, '0')}`
}

export const allSummaries = 'summary/'

/** The summaries of blocks of documents. */
export function summaryPrefix(containerRid: string): string {
  return `${allSummaries}${containerRid}/`
}

export function summaryKey(containerRid: string, block: number): string {
  return `${summaryPrefix(containerRid)}${String(block).padStart(12, '0')}`
}

/** The summaries of chapters of blocks. */
export function chapterPrefix(containerRid: string): string {
  return `chapter/${containerRid}/`
}

function chapterKey(containerRid: string, chapter: number): string {
  return `${chapterPrefix(containerRid)}${String(chapter).padStart(12, '0')}`
}

/** Sets the summary of a block. The summary of its chapter is valid only for the summaries that were there before. */
export function setSummary(
  { entries }: Group,
  containerRid: string,
  { block, text }: { readonly block: number; readonly text: string },
): void {
  entries.set(summaryKey(containerRid, block), text)
  entries.set(chapterKey(containerRid, chapterOf(block)), null)
}

/** The latest block of which summaries were removed, and their keys. Most documents in a row are in the same block. */
let latest = { containerRid: '', block: -1, ofBlock: '', ofChapter: '' }

/** Removes the summaries that count a document. */
export function removeSummaries({ entries }: Group, containerRid: string, number: number): void {
  const block = blockOf(number)
  if (latest.block !== block || latest.containerRid !== containerRid) {
    const ofChapter = chapterKey(containerRid, chapterOf(block))
    latest = { containerRid, block, ofBlock: summaryKey(containerRid, block), ofChapter }
  }
  entries.set(latest.ofBlock, null)
  entries.set(latest.ofChapter, null)
}

/** Checks whether a key is that of a block's or a chapter's summary. */
export function isSummaryKey(key: string): boolean {
  return key.startsWith(allSummaries) || key.startsWith('chapter/')
}

/** Returns the block or the chapter at the end of the key of a summary. */
export function summarizedIn(key: string): number {
  return Number(key.slice(-12))
}

/** The texts that shorten the texts of documents. */
function templatePrefix(containerRid: string): string {
  return `${allTemplates}${containerRid}/`
}

export const allTemplates = 'template/'

export function templateKey(containerRid: string, number: number): string {
  return `${templatePrefix(containerRid)}${number}`
}

/** Returns the container and the number in the key of a template. */
export function templateIn(key: string): { readonly containerRid: string; readonly number: number } {
  const end = key.lastIndexOf('/')
  return { containerRid: key.slice(allTemplates.length, end), number: Number(key.slice(end + 1)) }
}

export function rangeOf(prefix: string): { readonly start: string; readonly end: string } {
  return { start: prefix, end: `${prefix}\u{10ffff}` }
}
