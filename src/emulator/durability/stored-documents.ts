import type * as Lmdb from 'lmdb'
import {
  mergedInOrder,
  Refusal,
  type DocumentSource,
  type KeptDocument,
  type LoggedChange,
} from '../engine/index.js'
import { decodedDocument } from './document-record.js'
import type { DocumentTemplates } from './document-templates.js'
import { changesIn, numbersIn } from './finding-entries.js'
import {
  chapterPrefix,
  documentKey,
  documentPrefix,
  expiryKey,
  expiryPrefix,
  idKey,
  idPrefixOfKey,
  logKey,
  logPrefixOfRange,
  numberIn,
  rangeOf,
  summaryKey,
  summaryPrefix,
  summarizedIn,
} from './journal-entries.js'
import { isSealed, unsealedBytes } from './record-checksum.js'

type Store = Pick<Lmdb.RootDatabase<string, string>, 'getBinaryFast' | 'getKeys'>

/** The number of keys that are read at a time, so that no cursor stays open between them. */
const keysAtATime = 256

/**
 * Finds and reads documents in LMDB. Throws an error with the record's key if a record is missing or altered,
 * because a wrong answer would be worse than none.
 */
export class StoredDocuments implements DocumentSource {
  private isClosed = false

  constructor(
    private readonly store: Store,
    private readonly templates: Pick<DocumentTemplates, 'restored'>,
  ) {}

  /** Ends all reads. Background work may still try some while LMDB closes, and LMDB would end the process later. */
  close(): void {
    this.isClosed = true
  }

  private get open(): Store {
    if (this.isClosed) throw new Error('the data directory is closed')
    return this.store
  }

  numbersOf(containerRid: string, keyText: string, id: string): readonly number[] {
    const list = this.textOf(idKey(containerRid, keyText, id))
    return list === undefined ? [] : numbersIn(list)
  }

  numbersOfKey(containerRid: string, keyText: string): readonly number[] {
    const keys = this.open.getKeys(rangeOf(idPrefixOfKey(containerRid, keyText)))
    return [...keys].flatMap((key) => numbersIn(this.textOf(key) ?? ''))
  }

  read(containerRid: string, number: number): KeptDocument | undefined {
    const key = documentKey(containerRid, number)
    const value = this.valueOf(key)
    if (value === undefined) return undefined
    const found = decodedDocument({ number, value }, (short, keyText) =>
      this.templates.restored(containerRid, short, keyText),
    )
    if (found === undefined) throw damaged(key)
    return found
  }

  missing(containerRid: string, number: number): Error {
    return damaged(documentKey(containerRid, number))
  }

  *numbersAfter(containerRid: string, number: number): Generator<number, void, undefined> {
    const { end } = rangeOf(documentPrefix(containerRid))
    for (const key of this.keysFrom(documentKey(containerRid, number + 1), end)) yield numberIn(key)
  }

  changesFrom(containerRid: string, rangeIds: readonly string[], lsn: number): Iterable<LoggedChange> {
    const logs = rangeIds.map((rangeId) => this.logFrom(containerRid, rangeId, lsn))
    return mergedInOrder(logs, ({ sequence }) => sequence)
  }

  *expired(containerRid: string, second: number): Generator<number, void, undefined> {
    const end = expiryKey(containerRid, second + 1, 0)
    for (const key of this.keysFrom(expiryPrefix(containerRid), end)) yield numberIn(key)
  }

  summaries(containerRid: string, from: number, to: number): Iterable<readonly [number, string]> {
    const { end } = rangeOf(summaryPrefix(containerRid))
    return this.summarized(
      summaryKey(containerRid, from),
      Number.isFinite(to) ? summaryKey(containerRid, to) : end,
    )
  }

  chapters(containerRid: string): Iterable<readonly [number, string]> {
    const { start, end } = rangeOf(chapterPrefix(containerRid))
    return this.summarized(start, end)
  }

  private *summarized(first: string, end: string): Generator<readonly [number, string], void, undefined> {
    for (const key of this.keysFrom(first, end)) {
      const text = this.textOf(key)
      if (text !== undefined) yield [summarizedIn(key), text]
    }
  }

  private *logFrom(
    containerRid: string,
    rangeId: string,
    lsn: number,
  ): Generator<LoggedChange, void, undefined> {
    const { end } = rangeOf(logPrefixOfRange(containerRid, rangeId))
    for (const key of this.keysFrom(logKey(containerRid, rangeId, lsn), end)) {
      yield* changesIn(this.textOf(key) ?? '')
    }
  }

  private *keysFrom(first: string, end: string): Generator<string, void, undefined> {
    let keys = [...this.open.getKeys({ start: first, end, limit: keysAtATime })]
    while (true) {
      yield* keys
      const start = keys.at(-1)
      if (start === undefined || keys.length < keysAtATime) return
      keys = [...this.open.getKeys({ start, exclusiveStart: true, end, limit: keysAtATime })]
    }
  }

  private textOf(key: string): string | undefined {
    return this.valueOf(key)?.toString()
  }

  /** Returns a value without its checksum, in memory that the next read uses again. */
  private valueOf(key: string): Buffer | undefined {
    const bytes = this.open.getBinaryFast(key)
    if (bytes === undefined) return undefined
    // LMDB sets the length of its shared buffer itself, and methods that copy would ignore that.
    const value = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    if (isSealed(key, value)) return unsealedBytes(value)
    throw damaged(key)
  }
}

function damaged(key: string): Refusal {
  return new Refusal(
    500,
    `The record ${key} of the data directory is not the one that was written. Stop the emulator, and put a ` +
      'back-up of the directory in its place.',
  )
}
