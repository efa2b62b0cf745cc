import { expiresAt, rangeIdOf, sequenceAt, type LoggedChange } from '../engine/index.js'
import type { DocumentHead } from './document-record.js'
import { expiryKey, idKey, logKey } from './journal-entries.js'

/** What decides where a document is found. */
export type Found = Pick<
  DocumentHead,
  'id' | 'keyText' | 'number' | 'lsn' | 'place' | 'origin' | 'ts' | 'ttl'
>

/** The default times to live of a container's documents in seconds, or null if they never expire. */
interface Lifetimes {
  readonly before: number | null
  readonly after: number | null
}

/** Reads the newest value of a key, without its checksum. */
type Read = (key: string) => string | undefined

/**
 * The changes of the records that find documents: by partition key and id, by position in the log, and by the
 * second in which they expire. They follow from the records of the documents alone, and are written in the same
 * transaction.
 *
 * A list of documents is a text with an entry for each of them: a comma, the number, a colon, and then, in a
 * log, the LSN and the place.
 */
export class FindingEntries {
  private readonly lists = new Map<string, List>()

  constructor(private readonly read: Read) {}

  /** The newest value of each changed key, or null to remove the key. */
  get changed(): ReadonlyMap<string, string | null> {
    return new Map([...this.lists].map(([key, list]) => [key, list.size === 0 ? null : textOf(list)]))
  }

  /**
   * Changes the records for a document.
   *
   * @param before the document as it is on disk, or null if it is new
   * @param after null if the document is removed
   * @param lifetimes the default times to live by which the document is and will be found
   */
  change(containerRid: string, before: Found | null, after: Found | null, lifetimes: Lifetimes): void {
    // The partition key and the id of a document never change, so only a new or removed one changes this list.
    if (before === null && after !== null) this.put(idKeyOf(containerRid, after), after.number, '')
    if (before !== null && after === null) this.take(idKeyOf(containerRid, before), before.number)
    if (before !== null) this.take(logKeyOf(containerRid, before), before.number)
    if (after !== null) this.put(logKeyOf(containerRid, after), after.number, `${after.lsn}.${after.place}`)
    const old = before && expiryOf(containerRid, before, lifetimes.before)
    const next = after && expiryOf(containerRid, after, lifetimes.after)
    if (old === next) return
    if (old !== null) this.remove(old)
    if (after !== null && next !== null) this.lists.set(next, new Map([[after.number, '']]))
  }

  /** Adds the place of a document by its expiry. */
  expire(containerRid: string, head: Found, lifetime: number | null): void {
    const expiry = expiryOf(containerRid, head, lifetime)
    if (expiry !== null) this.lists.set(expiry, new Map([[head.number, '']]))
  }

  /** Removes a whole list. */
  remove(key: string): void {
    this.lists.set(key, new Map())
  }

  private put(key: string, number: number, rest: string): void {
    this.listOf(key).set(number, rest)
  }

  private take(key: string, number: number): void {
    this.listOf(key).delete(number)
  }

  private listOf(key: string): List {
    let list = this.lists.get(key)
    if (list === undefined) {
      list = listIn(this.read(key) ?? '')
      this.lists.set(key, list)
    }
    return list
  }
}

/** What a list says of each document, by number. */
type List = Map<number, string>

function listIn(text: string): List {
  const list: List = new Map()
  for (const entry of text.split(',').slice(1)) {
    const end = entry.indexOf(':')
    list.set(Number(entry.slice(0, end)), entry.slice(end + 1))
  }
  return list
}

function textOf(list: List): string {
  let text = ''
  for (const [number, rest] of list) text += `,${number}:${rest}`
  return text
}

function idKeyOf(containerRid: string, { keyText, id }: Found): string {
  return idKey(containerRid, keyText, id)
}

function logKeyOf(containerRid: string, { origin, lsn }: Found): string {
  return logKey(containerRid, rangeIdOf(origin), lsn)
}

function expiryOf(containerRid: string, found: Found, lifetime: number | null): string | null {
  const second = expiresAt(found, lifetime)
  return second === null ? null : expiryKey(containerRid, second, found.number)
}

/** Returns the numbers in a list of documents. */
export function numbersIn(list: string): readonly number[] {
  return list
    .split(',')
    .slice(1)
    .map((entry) => Number.parseInt(entry, 10))
}

/** Returns the changes in a piece of a log, in order. */
export function changesIn(list: string): readonly LoggedChange[] {
  return list
    .split(',')
    .slice(1)
    .map((entry) => {
      const [number = '', logged = ''] = entry.split(':')
      const [lsn = '', place = ''] = logged.split('.')
      return { number: Number(number), sequence: sequenceAt(Number(lsn), Number(place)) }
    })
    .sort((one, other) => one.sequence - other.sequence)
}
