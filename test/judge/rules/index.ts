/**
 * # The judge
 *
 * Checks whether a history keeps the promises of `docs/guarantees.md`. It reads only the history. It uses
 * neither our code nor a library, so that it does not repeat their mistakes.
 *
 * `history.ts` declares and reads a history. `versions.ts` orders the versions of documents by the etags that
 * writes name. `world.ts` finds jobs, leases, calls and effects among them. Each rule checks these and counts
 * its cases, because a rule without a case proves nothing. Start reading in `history.ts`, then in any file of
 * rules.
 */
import { effectRules } from './effects.js'
import type { History } from './history.js'
import { leaseRules } from './leases.js'
import { limitRules } from './limits.js'
import { jobLimitRules } from './limits-of-jobs.js'
import { promiseRules } from './promises.js'
import { rateRules } from './rates.js'
import { registerRules } from './registers.js'
import { judgedBy, type Rule, type Verdict } from './report.js'
import { tickRules } from './ticks.js'
import { transitionRules } from './transitions.js'
import { worldOf, type World } from './world.js'

export { parseHistory, readHistory } from './history.js'
export type { Verdict, Violation } from './report.js'

/** Every rule, in the order of the report. */
export const rules: readonly Rule<World>[] = [
  ...registerRules,
  ...transitionRules,
  ...effectRules,
  ...promiseRules,
  ...tickRules,
  ...limitRules,
  ...jobLimitRules,
  ...rateRules,
  ...leaseRules,
]

/** Judges a history. Returns the number of cases of each rule, and all violations. */
export function judge(history: History): Verdict {
  return judgedBy(rules, worldOf(history))
}
