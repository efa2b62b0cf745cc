import type { GateDocument } from '../model/gate-documents.js'
import type { GateRules } from '../model/gate-parts.js'

/** Returns the rules in force: those of an operator, or those of the newest job. */
export function rulesOf({ operated, rules }: Pick<GateDocument, 'operated' | 'rules'>): GateRules {
  return operated ?? rules
}
