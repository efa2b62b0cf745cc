import type * as Lmdb from 'lmdb'
import { Refusal, type VersionFields, type VersionHead } from '../engine/index.js'
import { decodedText } from './document-record.js'
import { documentKey } from './journal-entries.js'
import { isSealed, unsealedBytes } from './record-checksum.js'

type Store = Pick<Lmdb.RootDatabase<string, string>, 'getBinaryFast' | 'resetReadTxn'>

/**
 * Reads the text of a version from disk. Throws an error with the record's key if the record is missing, is
 * altered or has another version, because a wrong answer would be worse than none.
 */
export function readText(
  store: Store,
  containerRid: string,
  version: VersionHead & Pick<VersionFields, 'etag'>,
): string {
  const key = documentKey(containerRid, version.number)
  let found = textIn(store, key, { containerRid, version })
  if (found === undefined) {
    // The read transaction of this turn of the event loop may be older than the version.
    store.resetReadTxn()
    found = textIn(store, key, { containerRid, version })
  }
  if (found !== undefined) return found
  throw new Refusal(
    500,
    `The record ${key} of the data directory is not the one that was written (lsn ${version.lsn}). Stop the ` +
      'emulator, and put a back-up of the directory in its place.',
  )
}

function textIn(
  store: Store,
  key: string,
  { containerRid, version }: { containerRid: string; version: VersionHead & Pick<VersionFields, 'etag'> },
): string | undefined {
  const bytes = store.getBinaryFast(key)
  if (bytes === undefined) return undefined
  // LMDB sets the length of its shared buffer itself, and methods that copy would ignore that.
  const value = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  if (!isSealed(key, value)) return undefined
  return decodedText(containerRid, version, unsealedBytes(value))
}
