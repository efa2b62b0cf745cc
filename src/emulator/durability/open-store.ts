import { createRequire } from 'node:module'
import { pid } from 'node:process'
import type * as Lmdb from 'lmdb'
import { DirectoryInUse } from './directory-lock.js'
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

/**
 * Throws {@link DirectoryInUse} if another running process has the environment open.
 *
 * LMDB keeps a table of readers next to its data. Each process has a line in the table and locks this line.
 * The operating system releases the lock when the process ends. This function first reads once to get a line,
 * and only then checks the table. If two processes start at the same moment, at least one of them sees the
 * other.
 */
function assertOnlyProcess(store: Store, directory: string): void {
  store.get('')
  store.readerCheck()
  const others = readers(store.readerList()).filter((reader) => reader !== pid)
  if (others.length === 0) return
  throw new DirectoryInUse(directory, `process ${[...new Set(others)].join(', ')}`)
}

/** Returns the process ids, which are in the first column below the table's heading. */
function readers(list: string): readonly number[] {
  return [...list.matchAll(/^\s*(\d+)\s/gmu)].map((line) => Number(line[1]))
}
