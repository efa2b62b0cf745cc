import type { Json } from '../../sas/index.js'

/** One call of a handler in a simulation. */
export interface HandlerCall {
  /** The id of the step. */
  readonly step: string
  /** The agent and its operation, such as `bank.charge`. */
  readonly operation: string
  /** The number of the attempt at the step, from 1. */
  readonly attempt: number
  readonly input: Json
  /** The simulated time of the call. */
  readonly at: Date
}
