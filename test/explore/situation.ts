import { checkDecided, checkDecision, checkDocuments, problemOf, scheduling } from './invariants.js'
import { TupleTable } from './tuple-table.js'
import { documentsOf, replacing, writingOf, type Looked, type Tables, type Writing } from './writing.js'

/** The decision of a scheduler with one view of a job. */
export interface Situation {
  readonly kind: 'nothing' | 'stale' | 'read' | 'write' | 'throws'
  /** One bit for each place whose step the scheduler asks for. */
  readonly missing: number
  readonly writing: Writing | null
}

/**
 * Decisions of schedulers, each made once. A view contains the numbers of the job's document and of its
 * steps, plus one each.
 */
export class Situations {
  private readonly views: TupleTable
  private readonly situations: Situation[] = []
  private readonly problems: (string | null | undefined)[] = []

  constructor(private readonly tables: Tables) {
    this.views = new TupleTable(1 + tables.stepIds.length)
  }

  get size(): number {
    return this.situations.length
  }

  /** Returns the number of this view. */
  numberOf(view: Int32Array): number {
    const number = this.views.add(view)
    if (number === this.situations.length) this.situations.push(this.decided(view))
    return number
  }

  at(number: number): Situation {
    const situation = this.situations[number]
    if (situation === undefined) throw new Error(`there is no situation ${number}`)
    return situation
  }

  /** Returns the invariant that is broken if this view shows the current documents. */
  problemOf(number: number, view: Int32Array): string | null {
    const known = this.problems[number]
    if (known !== undefined) return known
    const problem = this.judged(number, view)
    this.problems[number] = problem
    return problem
  }

  private judged(number: number, view: Int32Array): string | null {
    const { decisions } = this.tables
    const { writing, kind } = this.at(number)
    const documents = documentsOf(this.tables, lookedIn(view))
    return problemOf(() => {
      checkDocuments(decisions, documents)
      checkDecision(decisions, documents)
      if (kind === 'read' || kind === 'stale')
        throw new Error(`where all is at hand, the scheduler finds it ${kind}`)
      if (writing === null) return
      checkDecided(decisions, { from: documents, to: replacing(documents, writing.written) })
    })
  }

  private decided(view: Int32Array): Situation {
    const { decisions, stepIds } = this.tables
    const looked = lookedIn(view)
    const none = { missing: 0, writing: null }
    let made: ReturnType<typeof scheduling>
    try {
      made = scheduling(decisions, documentsOf(this.tables, looked))
    } catch {
      return { kind: 'throws', ...none }
    }
    if (made.kind === 'read') {
      const missing = made.stepIds.reduce((bits, id) => bits | (1 << stepIds.indexOf(id)), 0)
      return { kind: 'read', missing, writing: null }
    }
    if (made.kind === 'visit') throw new Error('a step of the explored workflow has limits')
    if (made.kind === 'confirm') throw new Error('the explored workflow is not paused')
    if (made.kind !== 'write') return { kind: made.kind, ...none }
    const { job, changed } = made
    return {
      kind: 'write',
      missing: 0,
      writing: writingOf(this.tables, 'schedule', looked, { job, changed }),
    }
  }
}

function lookedIn(view: Int32Array): Looked {
  return { job: view[0] ?? 0, steps: [...view.subarray(1)].map((number) => number - 1) }
}
