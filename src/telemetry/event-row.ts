import type { Metric } from './metric.js'

/** How important a log line is. */
export type Level = 'debug' | 'info' | 'warn' | 'error'

/** What sinks and the documentation say about the events of one type. */
export interface EventRow<E> {
  /** The level of the log line. A function when the event chooses it. */
  readonly level: Level | ((event: E) => Level)
  readonly metrics: readonly Metric<E>[]
  /** Returns the message of the log line, for an operator. */
  readonly text: (event: E) => string
  /** When the event happens, for the documentation. */
  readonly meaning: string
}

/** One row for each type of the events `E`. */
export type EventRows<E extends { readonly type: string }> = {
  readonly [T in E['type']]: EventRow<Extract<E, { readonly type: T }>>
}

/** Formats a duration in seconds. */
export function seconds(ms: number): string {
  return `${(ms / 1_000).toLocaleString('en', { maximumFractionDigits: 1 })} s`
}

/** Lets a remark begin a line. */
export function sentence(remark: string): string {
  return `${remark.charAt(0).toUpperCase()}${remark.slice(1)}`
}
