import {
  closeSync,
  existsSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  fsync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { platform } from 'node:process'
import { systemClock } from '../../platform/index.js'
import { FlushPace } from './flush-pace.js'
import type { Group } from './journal-entries.js'
import { addLines, frameAt, frameOf, isFollowed, nothingLogged, type Logged } from './log-frames.js'
import type { Store } from './open-store.js'
import { sealed, unsealed } from './record-checksum.js'
import { damaged, dataFile, logKey } from './store-check.js'

/**
 * Zeros that small groups overwrite. Without them, each flush has to record a new length of the file as well, which takes
 * up to twice as long.
 */
const zerosAhead = Buffer.alloc(2 ** 18)

/** Where frames of usual size are made. Each of them is written to the file before the next one is made. */
const frameMemory = Buffer.allocUnsafeSlow(2 ** 20)

/** The largest group in bytes before which zeros are written. To write a larger one twice costs more than the flush saves. */
const smallGroup = 2 ** 14

/** The longest file of an ended log that is kept for the next log, in bytes. */
const longestSpare = 2 ** 24

const spareFile = 'spare.log'
const isLog = /^(writes-\d+|spare)\.log$/u

function nameOf(log: number): string {
  return `writes-${log}.log`
}

/** The logs that a store needs. */
interface Numbers {
  readonly first: number
  readonly last: number
  /** The bytes of all logs but the last one. */
  readonly ended: readonly number[]
}

/**
 * The newest writes of a data directory, which are not in its store yet. Each group of writes is one frame after the
 * last one in a file, so it takes one flush of a few pages. Zeros or old groups may follow the last group.
 *
 * A log ends when its writes go to the store, and the next one begins. When the store has these writes, the next log uses its file,
 * or the file is removed.
 * The store has a record (`record`) of the logs that it needs, and of the length of those that have ended, so a missing
 * file or end is noticed. A crash may cut short the last frame of the last log, which was never acknowledged, so it is left
 * out. Any other frame that is not complete is damage.
 */
export class WriteAheadLog {
  private found = nothingLogged()
  private numbers: Numbers | null = null
  private file: number | null = null
  private end = 0
  /** The end of the zeros or old groups in the newest log. A large group may end after it. */
  private fileBytes = 0
  /** The length of the file of an ended log that the next log will overwrite. Null if there is none. */
  private spareBytes: number | null = null
  private readonly pace = new FlushPace()

  /** @param record the record of the store, which is empty if it needs no log */
  constructor(
    private readonly directory: string,
    record: string,
  ) {
    if (record === '') return
    const [first = 0, last = 0, ...ended] = record.split(' ').map(Number)
    this.numbers = { first, last, ended }
    for (let log = first; log <= last; log += 1) this.read(log, ended[log - first])
  }

  /** What the logs said when the directory was opened. */
  get logged(): Logged {
    return this.found
  }

  /** Lets go of what the logs said, which may be large. */
  forget(): void {
    this.found = nothingLogged()
  }

  /** The bytes of all groups in the newest log. */
  get bytes(): number {
    return this.end
  }

  /** Whether a log can be written. */
  get isOpen(): boolean {
    return this.file !== null
  }

  /** What the store must record before the next group is appended. */
  get record(): string {
    if (this.numbers === null) return ''
    const { first, last, ended } = this.numbers
    return [first, last, ...ended].join(' ')
  }

  /** Opens the last log. Returns false if there is none. */
  open(): boolean {
    if (this.numbers === null) return false
    const file = openSync(this.pathOf(this.numbers.last), 'r+')
    this.file = file
    this.fileBytes = this.end
    if (fstatSync(file).size === this.end) return true
    // The next log may begin before this one has another group.
    ftruncateSync(file, this.end)
    fsyncSync(file)
    return true
  }

  /** Begins the next log. The store must have its record before a group is appended. */
  async begin(): Promise<void> {
    // Cuts off a group that a crash cut short, because in a log that has ended it would be damage.
    if (!this.isOpen) this.open()
    const before = this.numbers
    const last = (before?.last ?? 0) + 1
    const { spareBytes } = this
    // The checksums of old groups name another log, so they are no groups of this one.
    if (spareBytes !== null) renameSync(join(this.directory, spareFile), this.pathOf(last))
    this.spareBytes = null
    const file = openSync(this.pathOf(last), spareBytes === null ? 'w' : 'r+')
    this.close()
    this.file = file
    this.numbers = {
      first: before?.first ?? last,
      last,
      ended: before === null ? [] : [...before.ended, this.end],
    }
    this.end = 0
    this.fileBytes = spareBytes ?? 0
    // An old file with this name may have had groups. They must not come back when the machine fails.
    await flushed(fsync, file)
    await this.flushNames()
  }

  /** Appends a group. Resolves when it is on disk. `isAlone` says that it is a single transaction. */
  append(group: Group, isAlone: boolean): Promise<void> {
    const { file, numbers } = this
    if (file === null || numbers === null) return Promise.reject(new Error('the log is closed'))
    const frame = frameOf(group, { log: numbers.last, position: this.end }, frameMemory)
    if (this.end + frame.length > this.fileBytes && frame.length <= smallGroup) this.writeZeros(file)
    for (let done = 0; done < frame.length;) {
      done += writeSync(file, frame, done, frame.length - done, this.end + done)
    }
    this.end += frame.length
    return this.flush(file, isAlone && frame.length <= smallGroup)
  }

  private async flush(file: number, mayWait: boolean): Promise<void> {
    if (!mayWait || !this.pace.waits()) return flushed(fdatasync, file)
    const begunMs = systemClock.monotonic()
    fdatasyncSync(file)
    this.pace.waited(systemClock.monotonic() - begunMs)
  }

  /** Writes zeros after the file's end. A disk that is too full for them may still have space for the group. */
  private writeZeros(file: number): void {
    this.fileBytes = Math.max(this.fileBytes, this.end)
    try {
      this.fileBytes += writeSync(file, zerosAhead, 0, zerosAhead.length, this.fileBytes)
    } catch {
      // The write of the group meets the same error if it matters.
    }
  }

  /** What the store must record when it has the writes of all logs but the newest one. */
  get recordWithoutEnded(): string {
    return this.numbers === null ? '' : `${this.numbers.last} ${this.numbers.last}`
  }

  /**
   * Removes all logs but the newest one. Keeps the file of one of them for the next log. Call this when the store has recorded
   * that it needs only the newest one.
   */
  async removeEnded(): Promise<void> {
    if (this.numbers === null) return
    const { first, last } = this.numbers
    this.numbers = { first: last, last, ended: [] }
    if (first < last) this.spareBytes ??= this.keepSpare(this.pathOf(last - 1))
    await this.removeOthers(nameOf(last))
  }

  private keepSpare(path: string): number | null {
    const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? Infinity
    if (bytes > longestSpare) return null
    renameSync(path, join(this.directory, spareFile))
    return bytes
  }

  /** Removes all logs. Call this when the store has recorded that it needs none. */
  async removeAll(): Promise<void> {
    this.close()
    this.numbers = null
    this.spareBytes = null
    await this.removeOthers('')
  }

  close(): void {
    if (this.file !== null) closeSync(this.file)
    this.file = null
  }

  /** Removes all logs but one. A process that died may have left some that the store does not need. */
  private async removeOthers(kept: string): Promise<void> {
    for (const name of readdirSync(this.directory)) {
      const isKept = name === kept || (name === spareFile && this.spareBytes !== null)
      if (isLog.test(name) && !isKept) await rm(join(this.directory, name), { force: true })
    }
  }

  /** @param bytes the length of the log, if it has ended */
  private read(log: number, bytes: number | undefined): void {
    const path = this.pathOf(log)
    if (!existsSync(path)) throw damaged(path, 'is missing')
    const content = readFileSync(path)
    this.end = 0
    for (;;) {
      const place = { log, position: this.end }
      const frame = frameAt(content, place)
      if (frame === null) {
        const isLast = log === this.numbers?.last
        const isWhole = isLast ? !isFollowed(content, place) : this.end === (bytes ?? content.length)
        if (!isWhole) throw damaged(path, `is damaged (at byte ${this.end})`)
        return
      }
      addLines(this.found, frame.lines)
      this.end = frame.end
    }
  }

  private pathOf(log: number): string {
    return join(this.directory, nameOf(log))
  }

  /** Makes the name of a new file survive a failure of the machine. On Windows, this needs no call. */
  private async flushNames(): Promise<void> {
    if (platform === 'win32') return
    const names = openSync(this.directory, 'r')
    try {
      await flushed(fsync, names)
    } finally {
      closeSync(names)
    }
  }
}

/** Flushes a file without holding up the process, which takes some milliseconds. */
function flushed(flush: typeof fsync, file: number): Promise<void> {
  return new Promise((resolve, reject) => {
    flush(file, (error) => {
      if (error === null) resolve()
      else reject(error)
    })
  })
}

/** Reads the logs that a store needs. */
export function openLog(directory: string, store: Store): WriteAheadLog {
  try {
    const record = store.get(logKey)
    return new WriteAheadLog(directory, record === undefined ? '' : recordIn(record, directory))
  } catch (error) {
    store.close().catch(() => undefined)
    throw error
  }
}

/** Of a large store, a start does not verify this record before (see `store-check`). */
function recordIn(value: string, directory: string): string {
  const record = unsealed(value)
  if (sealed(logKey, record) === value) return record
  throw damaged(join(directory, dataFile), `is damaged (the record ${logKey} is altered)`)
}
