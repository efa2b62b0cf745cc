import { realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import type * as Lmdb from 'lmdb'
import { createDirectory } from '../../platform/internal.js'
import { lockDirectory, type DirectoryLock } from './directory-lock.js'
import type { Journal, JournalContents, JournalRecord } from '../engine/index.js'
import { contentsOf, templatesIn } from './journal-contents.js'
import { GroupWriter } from './group-writer.js'
import { assertOnlyProcess } from './lmdb-lock.js'
import { RecordTotal, sealed } from './record-checksum.js'
import { checkedFormat, finishStore, format, formatKey, newPageBytes, totalKey } from './store-check.js'
import { type Group, addTo } from './journal-entries.js'
import { StoredDocuments } from './stored-documents.js'
import { addFindingEntries, formatThatFinds } from './older-formats.js'

/**
 * The directories that are open in this process. LMDB would silently share a directory between two emulators.
 */
const openDirectories = new Set<string>()

/**
 * Keeps the engine's state in one LMDB environment. Stores only the current values, not their history, and
 * writes them in order.
 *
 * Writes are committed in groups. While one LMDB transaction is being synced to disk, new changes gather in
 * the next group, which the next sync makes durable. The environment is opened without `overlappingSync`, so
 * the promise of a batch resolves only after LMDB has synced the data and then the page that makes the data
 * valid. After a crash, each group and each transaction is on disk completely or not at all.
 *
 * Each value is stored after its checksum, and each group also writes the total of all checksums. Before LMDB
 * opens a directory, `store-check` refuses the directory if its records do not match the total.
 *
 * The states are: locking, then open, then failed or closed. In the state locking, nothing is written or
 * acknowledged. The journal fails if another emulator has the directory, or if the disk refuses a write.
 * After a failure, writes are no longer acknowledged.
 */
export class LmdbJournal implements Journal {
  readonly documents: StoredDocuments
  private readonly writer: GroupWriter
  private gathering: Group | null = null
  private committing: Group | null = null
  private failure: Error | null = null
  /** Resolves when the lock is taken or refused, and never rejects. It is null afterwards. */
  private locking: Promise<void> | null

  private constructor(
    private readonly store: Lmdb.RootDatabase<string, string>,
    private readonly directory: string,
    readonly lock: Promise<DirectoryLock>,
  ) {
    const templates = templatesIn(store)
    this.documents = new StoredDocuments(store, templates)
    this.writer = new GroupWriter(store, templates)
    this.locking = lock.then(
      () => {
        this.locking = null
      },
      (error: unknown) => {
        this.locking = null
        this.failure = error instanceof Error ? error : new Error(String(error))
      },
    )
  }

  /**
   * Opens or creates the directory. Throws if another emulator on this machine has it open, if newer code
   * wrote it, or if it is damaged. If only the lock shows that another emulator uses the directory, `open`
   * succeeds, but the journal fails before it writes anything.
   *
   * Without a given lock, it takes one only after LMDB's table has shown no other process. Otherwise two processes that
   * open the directory at the same moment could remove each other's sockets, and no process could attach to the winner.
   */
  static open(dataDirectory: string, given?: Promise<DirectoryLock>): LmdbJournal {
    try {
      createDirectory(dataDirectory)
      const directory = realpathSync(dataDirectory)
      const store = openStore(directory)
      const journal = new LmdbJournal(store, directory, given ?? lockDirectory(directory))
      openDirectories.add(directory)
      return journal
    } catch (error) {
      given?.then((held) => held.release()).catch(() => undefined)
      throw error
    }
  }

  append(records: readonly JournalRecord[]): void {
    if (records.length === 0) return
    const group = (this.gathering ??= this.newGroup())
    for (const record of records) addTo(group, record)
    if (this.committing === null) group.begin()
  }

  settled(): Promise<void> | null {
    if (this.failure !== null) return Promise.reject(this.failure)
    if (this.locking !== null) return this.locking.then(() => this.settled() ?? undefined)
    return (this.gathering ?? this.committing)?.durable ?? null
  }

  /** Returns what is on disk, except for the documents. */
  contents(): JournalContents {
    return contentsOf(this.store)
  }

  /** Waits for pending writes and closes the directory. Then another process may open it. */
  async close(): Promise<void> {
    try {
      await this.settled()
    } finally {
      this.documents.close()
      await this.store.close()
      openDirectories.delete(this.directory)
      await this.lock.then(
        (held) => held.release(),
        () => undefined,
      )
    }
  }

  private newGroup(): Group {
    let begin = (): void => undefined
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    const group: Group = {
      entries: new Map(),
      cleared: new Set(),
      removed: new Set(),
      lifetimes: new Map(),
      durable: begun.then(() => this.commit(group)),
      begin,
    }
    // Callers that wait for the group get its failure. Without such a caller, the failure must not end the
    // process.
    group.durable.catch(() => undefined)
    return group
  }

  private async commit(group: Group): Promise<void> {
    this.gathering = null
    this.committing = group
    try {
      await this.locking
      if (this.failure !== null) throw this.failure
      await this.writer.write(group)
    } catch (error) {
      this.failure ??= new Error(
        `The data directory ${this.directory} could not be written, so writes are no longer ` +
          'acknowledged. Free disk space, and start again.',
        { cause: error },
      )
      throw this.failure
    } finally {
      this.committing = null
      this.beginNext()
    }
  }

  /** Commits the group that gathered while the previous group was being synced. */
  private beginNext(): void {
    this.gathering?.begin()
  }
}

function openStore(directory: string): Lmdb.RootDatabase<string, string> {
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
function initialize(store: Lmdb.RootDatabase<string, string>, found: string | null): void {
  if (found === String(format)) return
  store.transactionSync(() => {
    if (found === null) store.putSync(totalKey, sealed(totalKey, new RecordTotal().text))
    else if (Number(found) < formatThatFinds) addFindingEntries(store)
    store.putSync(formatKey, String(format))
  })
}
