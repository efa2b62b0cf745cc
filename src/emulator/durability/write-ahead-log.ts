import {
  closeSync,
  existsSync,
  fdatasync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { platform } from 'node:process'
import type { Group } from './journal-entries.js'
import { addLines, frameAt, frameOf, isFollowed, nothingLogged, type Logged } from './log-frames.js'
import { damaged } from './store-check.js'

/** The logs that a store needs. */
interface Numbers {
  readonly first: number
  readonly last: number
}

/**
 * The newest writes of a data directory, which are not in its store yet. Each group of writes is one frame at the end of a
 * file, so it takes one flush of a few pages.
 *
 * A log ends when its writes go to the store, and the next one begins. Its file is removed when the store has these writes.
 * The store has a record (`record`) of the logs that it needs, so a missing file is noticed. A crash may cut short the last
 * frame of the last log, which was never acknowledged, so it is left out. Any other frame that is not complete is damage.
 */
export class WriteAheadLog {
  /** What the logs said when the directory was opened. */
  readonly logged: Logged = nothingLogged()
  private numbers: Numbers | null = null
  private file: number | null = null
  private end = 0

  /** @param record the record of the store, which is empty if it needs no log */
  constructor(
    private readonly directory: string,
    record: string,
  ) {
    if (record === '') return
    const [first = 0, last = 0] = record.split(' ').map(Number)
    this.numbers = { first, last }
    for (let log = first; log <= last; log += 1) this.read(log)
  }

  /** The length of the newest log in bytes. */
  get bytes(): number {
    return this.end
  }

  /** Whether a log can be written. */
  get isOpen(): boolean {
    return this.file !== null
  }

  /** What the store must record before the next group is appended. */
  get record(): string {
    return this.numbers === null ? '' : `${this.numbers.first} ${this.numbers.last}`
  }

  /** Opens the last log. Returns false if there is none. */
  open(): boolean {
    if (this.numbers === null) return false
    this.file = openSync(this.pathOf(this.numbers.last), 'r+')
    ftruncateSync(this.file, this.end)
    return true
  }

  /** Begins the next log. The store must have its record before a group is appended. */
  begin(): void {
    const last = (this.numbers?.last ?? 0) + 1
    const file = openSync(this.pathOf(last), 'w')
    this.close()
    this.file = file
    this.numbers = { first: this.numbers?.first ?? last, last }
    this.end = 0
    this.flushNames()
  }

  /** Appends a group. Resolves when it is on disk. */
  append(group: Group): Promise<void> {
    const { file, numbers } = this
    if (file === null || numbers === null) return Promise.reject(new Error('the log is closed'))
    const frame = frameOf(group, { log: numbers.last, position: this.end })
    for (let done = 0; done < frame.length;) {
      done += writeSync(file, frame, done, frame.length - done, this.end + done)
    }
    this.end += frame.length
    return new Promise((resolve, reject) => {
      fdatasync(file, (error) => {
        if (error === null) resolve()
        else reject(error)
      })
    })
  }

  /** What the store must record when it has the writes of all logs but the newest one. */
  get recordWithoutEnded(): string {
    return this.numbers === null ? '' : `${this.numbers.last} ${this.numbers.last}`
  }

  /** Removes all logs but the newest one. Call this when the store has recorded that it needs only this one. */
  removeEnded(): void {
    if (this.numbers === null) return
    const { first, last } = this.numbers
    this.numbers = { first: last, last }
    for (let log = first; log < last; log += 1) rmSync(this.pathOf(log), { force: true })
  }

  /** Removes all logs. Call this when the store has recorded that it needs none. */
  removeAll(): void {
    this.removeEnded()
    this.close()
    if (this.numbers !== null) rmSync(this.pathOf(this.numbers.last), { force: true })
    this.numbers = null
  }

  close(): void {
    if (this.file !== null) closeSync(this.file)
    this.file = null
  }

  private read(log: number): void {
    const path = this.pathOf(log)
    if (!existsSync(path)) throw damaged(path, 'is missing')
    const bytes = readFileSync(path)
    this.end = 0
    for (;;) {
      const place = { log, position: this.end }
      const frame = frameAt(bytes, place)
      if (frame === null) {
        const isCut = log === this.numbers?.last && !isFollowed(bytes, place)
        if (this.end < bytes.length && !isCut) throw damaged(path, `is damaged (at byte ${this.end})`)
        return
      }
      addLines(this.logged, frame.lines)
      this.end = frame.end
    }
  }

  private pathOf(log: number): string {
    return join(this.directory, `writes-${log}.log`)
  }

  /** Makes the name of a new file survive a failure of the machine. On Windows, this needs no call. */
  private flushNames(): void {
    if (platform === 'win32') return
    const names = openSync(this.directory, 'r')
    try {
      fsyncSync(names)
    } finally {
      closeSync(names)
    }
  }
}
