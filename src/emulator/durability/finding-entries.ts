import { expiresAt, rangeIdOf, sequenceAt, type LoggedChange } from '../engine/index.js'
import type { DocumentHead } from './document-record.js'
import { expiryKey, idKey, logKey } from './journal-entries.js'

/** What decides where a document is found. */
export type Found = Pick<
  DocumentHead,
  'id' | 'keyText' | 'number' | 'lsn' | 'place' | 'origin' | 'ts' | 'ttl'
>

/** Where a document is found: the keys of three lists, and its entries there. */
interface Places {
  readonly id: string
  readonly log: string
  readonly logged: string
  readonly expiry: string | null
}

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
    const old = before && placesOf(containerRid, before, lifetimes.before)
    const next = after && placesOf(containerRid, after, lifetimes.after)
    const number = (after ?? before)?.number ?? 0
    if (old?.id !== next?.id) {
      if (old !== null) this.take(old.id, number)
      if (next !== null) this.put(next.id, number, '')
    }
    if (old?.log !== next?.log || old?.logged !== next?.logged) {
      if (old !== null) this.take(old.log, number)
      if (next !== null) this.put(next.log, number, next.logged)
    }
    if (old?.expiry !== next?.expiry) {
      if (old !== null && old.expiry !== null) this.remove(old.expiry)
      if (next !== null && next.expiry !== null) this.lists.set(next.expiry, entryOf(number, ''))
    }
  }

  /** Adds the place of a document by its expiry. */
  expire(containerRid: string, head: Found, lifetime: number | null): void {
    const { expiry } = placesOf(containerRid, head, lifetime)
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

function placesOf(containerRid: string, found: Found, lifetime: number | null): Places {
  const { id, keyText, number, lsn, place, origin } = found
  const second = expiresAt(found, lifetime)
  return {
    id: idKey(containerRid, keyText, id),
    log: logKey(containerRid, rangeIdOf(origin), lsn),
    logged: `${lsn}.${place}`,
    expiry: second === null ? null : expiryKey(containerRid, second, number),
  }
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
