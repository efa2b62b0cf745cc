import { readFileSync } from 'node:fs'

/**
 * One line of a history. An operation is invoked once and ends at most once: `ok`, `fail` (it certainly did
 * nothing) or `info` (its outcome is unknown). An operation without an end was cut off with its process,
 * which is the same as `info`.
 */
export interface HistoryEvent {
  /** Microseconds of the machine's monotonic clock, which all processes share. */
  readonly at: number
  /** Milliseconds since the epoch by the clock of the process, which a fault may have changed. */
  readonly wall: number
  readonly process: string
  /** Numbers the operations of one process. */
  readonly operation: number
  readonly type: 'invoke' | 'ok' | 'fail' | 'info'
  readonly what: string
  readonly [field: string]: unknown
}

/** An operation: its kind, its start and its end. */
export interface Operation {
  readonly what: string
  readonly process: string
  readonly invoke: HistoryEvent
  /** Null if the process ended first. */
  readonly end: HistoryEvent | null
  readonly status: 'ok' | 'fail' | 'info'
  readonly from: number
  /**
   * The time of the answer. Infinity without an answer, because the operation may take effect at any later
   * time.
   */
  readonly until: number
}

/** A document in a request or an answer. It has a `value` if it was written. */
export interface Seen {
  readonly container: string
  readonly id: string
  readonly etag: string | null
  readonly digest: string
}

/** A requested write. */
export interface AskedWrite {
  readonly kind: 'create' | 'replace' | 'upsert' | 'delete' | 'patch'
  readonly container: string
  readonly id: string
  readonly ifMatch: string | null
  readonly digest: string
  readonly value: Fields
}

export type Fields = Readonly<Record<string, unknown>>

export interface History {
  readonly events: readonly HistoryEvent[]
  readonly operations: readonly Operation[]
  /** The settings of the run: intervals in milliseconds. */
  readonly settings: Fields
}

/** Reads a history file. Refuses a line that is not an event. */
export function readHistory(path: string): History {
  return parseHistory(readFileSync(path, 'utf8'))
}

/** Reads the text of a history file. */
export function parseHistory(text: string): History {
  const events = text
    .split('\n')
    .filter((line) => line !== '')
    .map(eventIn)
    .sort((a, b) => a.at - b.at)
  const settings = events.find(({ what }) => what === 'settings') ?? {}
  return { events, operations: operationsIn(events), settings }
}

function eventIn(line: string, index: number): HistoryEvent {
  try {
    const event = JSON.parse(line) as Partial<HistoryEvent>
    if (typeof event.at === 'number' && typeof event.process === 'string' && typeof event.what === 'string') {
      return event as HistoryEvent
    }
  } catch {
    // Reported below, like JSON that is not an event.
  }
  throw new Error(`line ${index + 1} of the history is not an event: ${line.slice(0, 120)}`)
}

function operationsIn(events: readonly HistoryEvent[]): readonly Operation[] {
  const ends = new Map<string, HistoryEvent>()
  for (const event of events) if (event.type !== 'invoke') ends.set(nameOf(event), event)
  return events
    .filter(({ type }) => type === 'invoke')
    .map((invoke): Operation => {
      const end = ends.get(nameOf(invoke)) ?? null
      const status = end === null || end.type === 'invoke' ? 'info' : end.type
      const until = end === null || status === 'info' ? Infinity : end.at
      return { what: invoke.what, process: invoke.process, invoke, end, status, from: invoke.at, until }
    })
}

function nameOf({ process, operation }: HistoryEvent): string {
  return `${process} ${operation}`
}

/** Returns the events of an operation, for an excerpt. */
export function eventsOf({ invoke, end }: Operation): readonly HistoryEvent[] {
  return end === null ? [invoke] : [invoke, end]
}

/** Returns a list in an event, or an empty one. */
export function listIn(event: HistoryEvent | null, name: string): readonly unknown[] {
  const value = event?.[name]
  return Array.isArray(value) ? (value as unknown[]) : []
}
