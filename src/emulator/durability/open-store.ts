import { createRequire } from 'node:module'
import type * as Lmdb from 'lmdb'
import { assertOnlyProcess } from './lmdb-lock.js'
import { addFindingEntries, formatThatFinds } from './older-formats.js'
import { RecordTotal, sealed } from './record-checksum.js'
import { checkedFormat, finishStore, format, formatKey, newPageBytes, totalKey } from './store-check.js'

export type Store = Lmdb.RootDatabase<string, string>

/**
 * The directories that are open in this process. LMDB would silently share a directory between two emulators.
 */
export const openDirectories = new Set<string>()

/** Opens or creates the store of a directory. Throws if it is in use, damaged, or written by newer code. */
export function openStore(directory: string): Store {
  if (openDirectories.has(directory)) {
    throw new Error(
      `The data directory ${directory} is open in this process already. Close that emulator first.`,
    )
  }
  const found = checkedFormat(directory)
  const store = lmdb().open<string, string>({
    path: directory,
    encoding: 'string',
    overlappingSync: false,
    pageSize: newPageBytes,
    // With true, LMDB itself would collect the writes of an event turn into a batch, and no caller could
    // handle the promise of this batch. If the commit failed, the unhandled rejection would end the process.
    eventTurnBatching: false,
  })
  try {
    assertOnlyProcess(store, directory)
    initialize(store, found)
    finishStore(directory)
    return store
  } catch (error) {
    store.close().catch(() => undefined)
    throw error
  }
}

/**
 * Loads LMDB when the first directory is opened. LMDB's binary is for one system only, so a process without a
 * data directory must start without LMDB. Uses `require`, because a journal is opened synchronously.
 */
function lmdb(): typeof Lmdb {
  try {
    return createRequire(import.meta.url)('lmdb') as typeof Lmdb
  } catch (cause) {
    throw new Error(
      'A data directory needs the package lmdb with its binary for this system, which cannot be ' +
        'loaded. Run "npm ci" on this system.',
      { cause },
    )
  }
}

/**
 * Writes the format, so that older code refuses a directory with records that it cannot read. Adds what older
 * formats lack, in the same transaction.
 *
 * @param found the format so far, or null for a new directory
 */
function initialize(store: Store, found: string | null): void {
  if (found === String(format)) return
  store.transactionSync(() => {
    if (found === null) store.putSync(totalKey, sealed(totalKey, new RecordTotal().text))
    else if (Number(found) < formatThatFinds) addFindingEntries(store)
    store.putSync(formatKey, String(format))
  })
}
