import type { Json } from '../../src/sas/documents.js'
import type { Plan } from '../../src/sas/plan.js'

/** What an operator of a world may decide; `edit` is a resubmit with another input. */
export type CommandName = 'cancel' | 'release' | 'resubmit' | 'edit'

/** A bounded world: jobs, and everything that may happen to them. */
export interface World {
  readonly name: string
  readonly plan: Plan
  /** Jobs of that plan, submitted at the same moment. */
  readonly jobs: 1 | 2
  /** What steps may return. */
  readonly outputs: readonly Json[]
  /** Milliseconds for the whole job; null for as long as it takes. */
  readonly completeWithinMs: number | null
  readonly retainForMs: number | null
  readonly commands: readonly CommandName[]
  /** Commands for each job. */
  readonly mostCommands: number
  /** Two agents instances make one attempt side by side. */
  readonly overlaps: boolean
  /** Schedulers decide on versions of steps that have been replaced, or without those they did not ask for. */
  readonly staleReads: boolean
  /** Handlers call the service more than once within one attempt. */
  readonly tries: boolean
  /** Calls arrive when nobody waits for them any more. */
  readonly lateCalls: boolean
  /** Attempts ask for more time. */
  readonly extends: boolean
}
