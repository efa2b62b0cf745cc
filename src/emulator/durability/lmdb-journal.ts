import { realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import type * as Lmdb from 'lmdb'
import { createDirectory } from '../../platform/internal.js'
import { lockDirectory, type DirectoryLock } from './directory-lock.js'
import type { Journal, JournalContents, JournalRecord } from '../engine/index.js'
import { contentsOf, StoredValues } from './journal-contents.js'
import { assertOnlyProcess } from './lmdb-lock.js'
import { RecordTotal, sealed, sealIn, sealOf } from './record-checksum.js'
import { type CheckedStore, checkedStore, finishStore, format, formatKey, totalKey } from './store-check.js'
import { type Group, addTo, rangeOf } from './journal-entries.js'

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
  private readonly store: Lmdb.RootDatabase<string, string>
  /** The total of all records on disk and in the group that is being committed. */
  private readonly total: RecordTotal
  private values: StoredValues
  private gathering: Group | null = null
  private committing: Group | null = null
  private failure: Error | null = null
  /** Resolves when the lock is taken or refused, and never rejects. It is null afterwards. */
  private locking: Promise<void> | null

  private constructor(
    { store, total, values }: OpenStore,
    private readonly directory: string,
    private readonly lock: Promise<DirectoryLock>,
  ) {
    this.store = store
    this.total = total
    this.values = values
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
   */
  static open(dataDirectory: string, lock = lockDirectory(dataDirectory)): LmdbJournal {
    try {
      createDirectory(dataDirectory)
      const directory = realpathSync(dataDirectory)
      const journal = new LmdbJournal(openStore(directory), directory, lock)
      openDirectories.add(directory)
      return journal
    } catch (error) {
      lock.then((held) => held.release()).catch(() => undefined)
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

  /**
   * Returns what was on disk when the journal was opened. A second call returns nothing, because the journal
   * does not keep these records in memory.
   */
  takeContents(): JournalContents {
    const contents = contentsOf(this.values)
    this.values = new StoredValues()
    return contents
  }

  /** Waits for pending writes and closes the directory. Then another process may open it. */
  async close(): Promise<void> {
    try {
      await this.settled()
    } finally {
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
      await this.write(group)
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

  private async write({ entries, cleared }: Group): Promise<void> {
    // Makes the writes of earlier groups visible, so that records are removed and counted correctly.
    this.store.resetReadTxn()
    const removed = [...cleared].flatMap((prefix) => [...this.store.getKeys(rangeOf(prefix))])
    const gone = new Map<string, null>(removed.map((key) => [key, null]))
    const changed = new Map([...gone, ...entries])
    for (const key of changed.keys()) this.uncount(key)
    // The promises are in a set, because most writes of a batch share one promise.
    const writes = new Set<Promise<unknown>>()
    const batch = this.store.batch(() => {
      for (const [key, value] of changed) writes.add(this.put(key, value))
      writes.add(this.store.put(totalKey, sealed(totalKey, this.total.text)))
    })
    await allDone([batch, ...writes])
  }

  private uncount(key: string): void {
    const before = this.store.getBinaryFast(key)
    if (before !== undefined) this.total.remove(sealIn(before))
  }

  private put(key: string, value: string | null): Promise<boolean> {
    if (value === null) return this.store.remove(key)
    const text = sealed(key, value)
    this.total.add(sealOf(text))
    return this.store.put(key, text)
  }
}

/**
 * An error of LMDB, with the cause of a failed commit in a promise. If the promise's rejection is not
 * handled, the process ends.
 */
interface CommitFailure {
  readonly commitError?: Promise<unknown>
}

async function allDone(writes: readonly Promise<unknown>[]): Promise<void> {
  const failures = (await Promise.allSettled(writes)).filter((result) => result.status === 'rejected')
  const reasons = failures.map(({ reason }): unknown => reason)
  for (const reason of reasons) (reason as CommitFailure).commitError?.catch(() => undefined)
  if (reasons.length > 0) throw reasons[0]
}

interface OpenStore extends CheckedStore {
  readonly store: Lmdb.RootDatabase<string, string>
}

function openStore(directory: string): OpenStore {
  if (openDirectories.has(directory)) {
    throw new Error(
      `The data directory ${directory} is open in this process already. Close that emulator first.`,
    )
  }
  const kept = checkedStore(directory)
  const store = lmdb().open<string, string>({
    path: directory,
    encoding: 'string',
    overlappingSync: false,
    // With true, LMDB itself would collect the writes of an event turn into a batch, and no caller could
    // handle the promise of this batch. If the commit failed, the unhandled rejection would end the process.
    eventTurnBatching: false,
  })
  try {
    assertOnlyProcess(store, directory)
    if (kept === null) initialize(store)
    finishStore(directory)
    return { store, ...(kept ?? { total: new RecordTotal(), values: new StoredValues() }) }
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

function initialize(store: Lmdb.RootDatabase<string, string>): void {
  store.transactionSync(() => {
    store.putSync(formatKey, String(format))
    store.putSync(totalKey, sealed(totalKey, new RecordTotal().text))
  })
}
