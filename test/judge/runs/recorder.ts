import { createHash } from 'node:crypto'
import { openSync, writeSync } from 'node:fs'
import { hrtime } from 'node:process'

type Fields = Readonly<Record<string, unknown>>

/** An operation that has begun and not ended yet. */
export interface Begun {
  ok(fields?: Fields): void
  /** Ends the operation: it certainly did nothing. */
  fail(fields?: Fields): void
  /** Ends the operation: its outcome is unknown. */
  info(fields?: Fields): void
}

/**
 * Records the operations of one process in the history, one line per event. Writes are synchronous, so a
 * killed process has recorded every operation that it began. All processes append to the same file.
 */
export class Recorder {
  private readonly file: number
  private operations = 0

  constructor(
    path: string,
    readonly process: string,
  ) {
    this.file = openSync(path, 'a')
  }

  invoke(what: string, fields: Fields = {}): Begun {
    this.operations += 1
    const operation = this.operations
    const say = (type: string, more: Fields): void => this.write({ operation, type, what, ...more })
    say('invoke', fields)
    return {
      ok: (more = {}) => say('ok', more),
      fail: (more = {}) => say('fail', more),
      info: (more = {}) => say('info', more),
    }
  }

  /** Records an event without duration. */
  note(what: string, fields: Fields = {}): void {
    this.operations += 1
    this.write({ operation: this.operations, type: 'ok', what, ...fields })
  }

  private write(fields: Fields): void {
    const at = Number(hrtime.bigint() / 1_000n)
    const line = { at, wall: Date.now(), process: this.process, ...fields }
    writeSync(this.file, `${JSON.stringify(line)}\n`)
  }
}

/** Fields that the store adds. */
const serviceFields = ['_rid', '_self', '_etag', '_attachments', '_ts', '_lsn']

/** Returns a document without the fields that the store adds. */
export function ownFields(document: Fields): Fields {
  return Object.fromEntries(Object.entries(document).filter(([name]) => !serviceFields.includes(name)))
}

/** Returns a text that is equal for equal documents, whatever the order of their fields. */
export function digestOf(document: Fields): string {
  return createHash('sha256')
    .update(canonical(ownFields(document)))
    .digest('hex')
    .slice(0, 16)
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined)
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${sorted.map(([name, entry]) => `${JSON.stringify(name)}:${canonical(entry)}`).join(',')}}`
}
