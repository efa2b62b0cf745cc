import type { Metric } from './metric.js'

/** The importance of a log line. */
export type Level = 'debug' | 'info' | 'warn' | 'error'

/** The description of one type of event, for sinks and the documentation. */
export interface EventRow<E> {
  /** The level of the log line, or a function if the level depends on the event. */
  readonly level: Level | ((event: E) => Level)
  readonly metrics: readonly Metric<E>[]
  /** Returns the message of the log line, for an operator. */
  readonly text: (event: E) => string
  /** A description of when the event happens, for the documentation. */
  readonly meaning: string
}

/** One row for each type of the events `E`. */
export type EventRows<E extends { readonly type: string }> = {
  readonly [T in E['type']]: EventRow<Extract<E, { readonly type: T }>>
}

export function seconds(ms: number): string {
  return `${(ms / 1_000).toLocaleString('en', { maximumFractionDigits: 1 })} s`
}

/** Returns the remark with a capital first letter. */
export function sentence(remark: string): string {
  return `${remark.charAt(0).toUpperCase()}${remark.slice(1)}`
}
