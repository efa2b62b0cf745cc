/**
 * # The judge
 *
 * Says whether a history keeps what `docs/guarantees.md` promises. It reads a history and nothing else: none of our code,
 * no library, so that no mistake is made twice. Documents are put in order by the etags that writes name
 * (`versions.ts`); `world.ts` finds jobs, leases, calls and effects among them; each rule looks at that, and counts the
 * cases it has looked at, since a rule without a case says nothing.
 */
import { effectRules } from './effects.js'
import type { History } from './history.js'
import { leaseRules } from './leases.js'
import { promiseRules } from './promises.js'
import { registerRules } from './registers.js'
import { judgedBy, type Rule, type Verdict } from './report.js'
import { transitionRules } from './transitions.js'
import { worldOf, type World } from './world.js'

export { parseHistory, readHistory } from './history.js'
export type { Verdict, Violation } from './report.js'

/** Every rule, in the order in which they are shown. */
export const rules: readonly Rule<World>[] = [
  ...registerRules,
  ...transitionRules,
  ...effectRules,
  ...promiseRules,
  ...leaseRules,
]

/** Judges a history. */
export function judge(history: History): Verdict {
  return judgedBy(rules, worldOf(history))
}
