/**
 * What a step, or the whole job, did for a while. `waiting` is for other steps, agents, events or a time, and
 * `blocked` is for room in a limit. `operator` means that it waits for a decision of an operator.
 */
export interface Interval {
  /** The step, or null for the job. */
  readonly stepId: string | null
  readonly kind: 'waiting' | 'running' | 'backingOff' | 'blocked' | 'paused' | 'operator' | 'undoing'
  /** ISO-8601 UTC. */
  readonly from: string
  /** ISO-8601 UTC. Null if it goes on. */
  readonly to: string | null
  readonly what: string
  /** False if the documents do not record the beginning: the time may contain waits. */
  readonly isExact: boolean
}

/** An interval of a known step. */
export type Part = Omit<Interval, 'stepId'>

/** ISO-8601 texts of the same form have the order of their times. */
export function latest(times: readonly string[]): string {
  return times.reduce((most, time) => (time > most ? time : most))
}
