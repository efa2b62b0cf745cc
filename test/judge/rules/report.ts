import { eventsOf, type HistoryEvent, type Operation } from './history.js'

/** A broken rule, and the events that show it. */
export interface Violation {
  readonly rule: string
  readonly message: string
  readonly excerpt: readonly HistoryEvent[]
}

/** The result of judging a history: the number of cases of each rule, and the violations. */
export interface Verdict {
  readonly checked: ReadonlyMap<string, number>
  readonly violations: readonly Violation[]
}

/** Collects the cases of a rule. */
export class Report {
  checked = 0
  readonly violations: Violation[] = []

  constructor(private readonly rule: string) {}

  /** Adds one case of a rule. It is a violation unless `holds`; `message` and `of` describe it. */
  check(holds: boolean, message: () => string, of: () => readonly (HistoryEvent | Operation | null)[]): void {
    this.checked += 1
    if (holds) return
    const events = of().flatMap((one) => (one === null ? [] : isOperation(one) ? eventsOf(one) : [one]))
    const excerpt = [...new Set(events)].sort((a, b) => a.at - b.at)
    this.violations.push({ rule: this.rule, message: message(), excerpt })
  }
}

function isOperation(one: HistoryEvent | Operation): one is Operation {
  return 'invoke' in one
}

/** A rule of `docs/guarantees.md`. */
export interface Rule<W> {
  readonly id: string
  /** The promise of the rule, as a sentence. */
  readonly says: string
  readonly check: (world: W, report: Report) => void
}

export function judgedBy<W>(rules: readonly Rule<W>[], world: W): Verdict {
  const checked = new Map<string, number>()
  const violations: Violation[] = []
  for (const rule of rules) {
    const report = new Report(rule.id)
    rule.check(world, report)
    checked.set(rule.id, report.checked)
    violations.push(...report.violations)
  }
  return { checked, violations }
}
