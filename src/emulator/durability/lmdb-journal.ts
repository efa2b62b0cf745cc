import { realpathSync } from 'node:fs'
import { createDirectory } from '../../platform/internal.js'
import { lockUnused, type DirectoryLock } from './directory-lock.js'
import type { Journal, JournalContents, JournalRecord } from '../engine/index.js'
import { contentsOf, templatesIn } from './journal-contents.js'
import { GroupStarts } from './flush-pace.js'
import { GroupWriter, slicesOf } from './group-writer.js'
import { addGroup, addTo, emptyGroup, isEmpty, type Group } from './journal-entries.js'
import { openDirectories, openStore, type Store } from './open-store.js'
import { StoredDocuments } from './stored-documents.js'
import { openLog, type WriteAheadLog } from './write-ahead-log.js'

/** What a journal reads and writes. */
type Opened = Readonly<{ store: Store; log: WriteAheadLog; directory: string }>

/** The bytes of a log after which its writes go to the store. */
const longestLog = 8 * 2 ** 20

/** The bytes of a log at which writes wait until the writes of the log before it are in the store. */
const longestWaiting = 4 * longestLog

/** The bytes of memory for each byte of a log. Documents also need objects, but a log also has replaced versions. */
const memoryPerLogged = 1.3

/** The most rounds at the end of a journal. Each round moves to the store the writes that came during the round before. */
const mostRounds = 8

/** A group of this many transactions, and the promise that it is on disk. */
interface Gathering extends Group {
  transactions: number
  readonly durable: Promise<void>
  readonly begin: () => void
}

/**
 * Keeps the engine's state in a data directory: an LMDB environment with the current values, and logs with the newest
 * writes.
 *
 * Writes are durable in groups. While one group is being flushed to the log, new changes gather in the next group. When a
 * log is long enough, the next one begins, and the newest values of the keys of the old log go to the store. They go in
 * slices, and each slice is a transaction of LMDB. Until the last slice is in the store, a start reads the old log again,
 * so a crash in between loses nothing. A closed directory has no log.
 *
 * The environment is opened without `overlappingSync`, so the promise of a batch resolves only after LMDB has synced the
 * data and then the page that makes the data valid. After a crash, each group is on disk completely or not at all.
 *
 * Each value in the store is kept after its checksum, and each transaction also writes the total of all checksums. Before
 * LMDB opens a directory, `store-check` refuses the directory if its records do not match the total. The directory is also
 * refused if a log is missing or damaged.
 *
 * The states are: locking, then open, then failed or closed. In the state locking, nothing is written or
 * acknowledged. The journal fails if another emulator has the directory, or if the disk refuses a write. It then
 * acknowledges no more writes.
 */
export class LmdbJournal implements Journal {
  readonly documents: StoredDocuments
  private readonly writer: GroupWriter
  private readonly store: Store
  private readonly log: WriteAheadLog
  private readonly directory: string
  private readonly starts = new GroupStarts()
  private gathering: Gathering | null = null
  private committing: Gathering | null = null
  /** The writes that the logs have and the store lacks, except those that `transfer` is writing. */
  private behind: Group
  private transfer: Promise<void> | null = null
  /** The bytes of the logs whose writes `transfer` moves. */
  private movingBytes = 0
  /** Whether the next commit begins a transfer, although the log is short. */
  private isTransferDue = false
  private failure: Error | null = null
  private closing: Promise<void> | null = null
  /** Whether nothing is written any more. */
  private isClosed = false
  /** Resolves when the lock is taken or refused, and never rejects. It is null afterwards. */
  private locking: Promise<void> | null

  private constructor(
    { store, log, directory }: Opened,
    readonly lock: Promise<DirectoryLock>,
  ) {
    this.store = store
    this.log = log
    this.directory = directory
    const templates = templatesIn(store)
    this.documents = new StoredDocuments(store, templates)
    this.writer = new GroupWriter(store, templates)
    this.behind = emptyGroup()
    addGroup(this.behind, this.log.logged.group)
    this.locking = lock.then(
      () => {
        this.locking = null
        // As after a group with a new time to live (see `commit`). The engine has the contents by now.
        if (this.writer.retimed(this.behind.lifetimes).length > 0) this.apply().catch(() => undefined)
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
      const log = openLog(directory, store)
      const journal = new LmdbJournal({ store, log, directory }, given ?? lockUnused(directory))
      openDirectories.add(directory)
      return journal
    } catch (error) {
      given?.then((held) => held.release()).catch(() => undefined)
      throw error
    }
  }

  /** An estimate of the bytes of memory of the documents that are only in the logs. */
  get waitingBytes(): number {
    return (this.log.bytes + (this.transfer === null ? 0 : this.movingBytes)) * memoryPerLogged
  }

  append(records: readonly JournalRecord[]): void {
    if (records.length === 0) return
    const group = (this.gathering ??= this.newGroup())
    for (const record of records) addTo(group, record)
    group.transactions += 1
    if (this.committing === null && group.transactions === 1) this.starts.begin(group.begin)
  }

  settled(): Promise<void> | null {
    if (this.failure !== null) return Promise.reject(this.failure)
    if (this.locking !== null) return this.locking.then(() => this.settled() ?? undefined)
    return (this.gathering ?? this.committing)?.durable ?? null
  }

  applied(): Promise<void> | null {
    const isPending = this.gathering !== null || this.committing !== null || this.transfer !== null
    const isOpen = this.locking === null && this.failure === null
    if (!isPending && isOpen && isEmpty(this.behind)) return null
    const applying = this.apply()
    // Some callers only ask whether there is anything to wait for. A failure must not end their process.
    applying.catch(() => undefined)
    return applying
  }

  recover(records: readonly JournalRecord[]): void {
    for (const record of records) addTo(this.behind, record)
  }

  /** Returns what is on disk, except for the documents of the store. Call this once, before anything is written. */
  contents(): JournalContents {
    const { logged } = this.log
    this.log.forget()
    return contentsOf(this.store, logged)
  }

  /** Waits for pending writes and closes the directory. Then another process may open it. */
  close(): Promise<void> {
    this.closing ??= this.closeOnce()
    return this.closing
  }

  /** Closes the directory as it is. Call this if its contents were not restored, because only the logs have some of them. */
  abandon(): Promise<void> {
    this.failure ??= new Error(`The contents of the data directory ${this.directory} were not restored.`)
    return this.close()
  }

  private async closeOnce(): Promise<void> {
    try {
      let applying = this.applied()
      // Requests under way may write meanwhile. If they do not end, the next start reads the logs.
      for (let round = 0; applying !== null && round < mostRounds; round += 1) {
        await applying
        applying = this.applied()
      }
      this.isClosed = true
      if (applying === null && this.log.record !== '') {
        await this.writer.write(emptyGroup(), '')
        await this.log.removeAll()
      }
    } finally {
      this.isClosed = true
      // After a failure, these may still use the log and the store.
      await this.committing?.durable.catch(() => undefined)
      await this.transfer
      this.log.close()
      this.documents.close()
      await this.store.close()
      openDirectories.delete(this.directory)
      await this.lock.then(
        (held) => held.release(),
        () => undefined,
      )
    }
  }

  private newGroup(): Gathering {
    let begin = (): void => undefined
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    const durable = begun.then(() => this.commit(group))
    const group: Gathering = { ...emptyGroup(), transactions: 0, durable, begin }
    // Callers that wait for the group get its failure. Without such a caller, it must not end the process.
    durable.catch(() => undefined)
    return group
  }

  private async commit(group: Gathering): Promise<void> {
    this.gathering = null
    this.committing = group
    try {
      await this.locking
      if (this.log.bytes >= longestWaiting) await this.transfer
      this.assertWorks()
      if (this.isClosed) throw new Error('the data directory is closed')
      if (this.transfer === null && (this.isTransferDue || this.log.bytes >= longestLog))
        await this.beginTransfer()
      if (isEmpty(group)) return
      if (!this.log.isOpen && !this.log.open()) await this.beginLog()
      await this.log.append(group, group.transactions === 1)
      addGroup(this.behind, group)
      // Documents on disk are found by their old time to live until the store has the new one.
      if (this.writer.retimed(group.lifetimes).length > 0) this.apply().catch(() => undefined)
    } catch (error) {
      throw this.failed(error)
    } finally {
      this.committing = null
      this.beginNext()
    }
  }

  /** Commits the group that gathered while the previous group was being synced. */
  private readonly beginNext = (): void => this.gathering?.begin()

  private async beginLog(): Promise<void> {
    await this.log.begin()
    await this.writer.write(emptyGroup(), this.log.record)
  }

  /** Begins the next log, and the transfer of the writes of the logs before it. */
  private async beginTransfer(): Promise<void> {
    this.isTransferDue = false
    if (isEmpty(this.behind)) return
    this.movingBytes = this.log.bytes
    await this.beginLog()
    const group = this.behind
    this.behind = emptyGroup()
    this.transfer = this.write(group)
      .catch((error: unknown) => void this.failed(error))
      .finally(() => {
        this.transfer = null
      })
  }

  private async write(group: Group): Promise<void> {
    for (const slice of slicesOf(group)) await this.writer.write(slice)
    await this.writer.write(emptyGroup(), this.log.recordWithoutEnded)
    await this.log.removeEnded()
  }

  private async apply(): Promise<void> {
    await this.settled()
    // The transfer under way may lack the newest writes.
    await this.transfer
    this.assertWorks()
    if (isEmpty(this.behind)) return
    this.isTransferDue = true
    const group = (this.gathering ??= this.newGroup())
    if (this.committing === null) group.begin()
    await group.durable
    await this.transfer
    this.assertWorks()
  }

  private assertWorks(): void {
    if (this.failure !== null) throw this.failure
  }

  private failed(error: unknown): Error {
    this.failure ??= new Error(
      `The data directory ${this.directory} could not be written, so writes are no longer ` +
        'acknowledged. Free disk space, and start again.',
      { cause: error },
    )
    return this.failure
  }
}
