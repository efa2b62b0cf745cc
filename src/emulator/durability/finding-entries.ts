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
 * log, the LSN and the place. So an entry is found and replaced without reading the others.
 */
export class FindingEntries {
  private readonly lists = new Map<string, string>()

  constructor(private readonly read: Read) {}

  /** The newest value of each changed key, or null to remove the key. */
  get changed(): ReadonlyMap<string, string | null> {
    return new Map([...this.lists].map(([key, text]) => [key, text === '' ? null : text]))
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
    if (after !== null && next !== null) this.lists.set(next, entryOf(after.number, ''))
  }

  /** Adds the place of a document by its expiry. */
  expire(containerRid: string, head: Found, lifetime: number | null): void {
    const expiry = expiryOf(containerRid, head, lifetime)
    if (expiry !== null) this.lists.set(expiry, entryOf(head.number, ''))
  }

  /** Removes a whole list. */
  remove(key: string): void {
    this.lists.set(key, '')
  }

  private put(key: string, number: number, rest: string): void {
    this.lists.set(key, this.listOf(key) + entryOf(number, rest))
  }

  private take(key: string, number: number): void {
    const list = this.listOf(key)
    const from = list.indexOf(entryOf(number, ''))
    if (from < 0) return
    const to = list.indexOf(',', from + 1)
    this.lists.set(key, list.slice(0, from) + (to < 0 ? '' : list.slice(to)))
  }

  private listOf(key: string): string {
    return this.lists.get(key) ?? this.read(key) ?? ''
  }
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

function entryOf(number: number, rest: string): string {
  return `,${number}:${rest}`
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
