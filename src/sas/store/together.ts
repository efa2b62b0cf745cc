import type { Clock, Timer } from '../../platform/index.js'

/** If a request takes longer than this, the next request does not wait for its answer. */
const slowMs = 1_000
/** The most operations of one request. */
const mostTogether = 100

interface Asked<Q, A> {
  readonly question: Q
  readonly answer: (answer: Promise<A>) => void
}

/** The ways to ask for operations. */
export interface Asking<Q, A> {
  readonly clock: Pick<Clock, 'monotonic' | 'schedule'>
  readonly alone: (question: Q) => Promise<A>
  /**
   * Asks for 2 to 100 operations with one request. The result has their order. Undefined, or missing at the end, means
   * that this operation must be asked for alone.
   */
  readonly together: (questions: readonly Q[]) => Promise<readonly (A | undefined)[]>
  /** Returns the share of one request that an operation fills, from 0 to 1. Default: none. */
  readonly shareOf?: (question: Q) => number
}

/**
 * Lets operations share requests. An operation begins at once if no other one is under way. Otherwise it begins with the
 * next request, which has all operations that were asked for meanwhile. So thousands of operations take few requests.
 */
export class Together<Q, A> {
  private readonly asked: Asked<Q, A>[] = []
  private underWay = 0
  private lastBeganMs = 0
  /** Begins the next request if the one under way takes long. */
  private late: Timer | null = null

  constructor(private readonly asking: Asking<Q, A>) {}

  /** Each caller gets the answer or the error of its own operation. */
  ask(question: Q): Promise<A> {
    return new Promise((answer) => {
      this.asked.push({ question, answer })
      if (this.underWay === 0) this.begin()
      else this.beginLate()
    })
  }

  private begin(): void {
    const { alone, clock } = this.asking
    this.late?.cancel()
    this.late = null
    const together = this.asked.splice(0, this.countTogether())
    this.lastBeganMs = clock.monotonic()
    this.underWay += 1
    const answers = this.together(together.map(({ question }) => question))
    const operations = together.map(async ({ question, answer }, index) => {
      const operation = answers.then(({ [index]: found }) => (found === undefined ? alone(question) : found))
      answer(operation)
      await operation
    })
    if (this.asked.length > 0) this.beginLate()
    const beginNext = (): void => {
      this.underWay -= 1
      if (this.asked.length > 0) this.begin()
    }
    Promise.allSettled(operations).then(beginNext, beginNext)
  }

  private beginLate(): void {
    const { clock } = this.asking
    const leftMs = this.lastBeganMs + slowMs - clock.monotonic()
    this.late ??= clock.schedule(Math.max(0, leftMs), () => this.begin())
  }

  /** Returns how many of the operations fit into the next request. */
  private countTogether(): number {
    if (this.asked.length === 1) return 1
    const { shareOf = () => 0 } = this.asking
    let filled = 0
    const count = this.asked.findIndex(({ question }, index) => {
      filled += shareOf(question)
      return index === mostTogether || (index > 0 && filled > 1)
    })
    return count === -1 ? this.asked.length : count
  }

  private async together(questions: readonly Q[]): Promise<readonly (A | undefined)[]> {
    return questions.length === 1 ? [] : this.asking.together(questions)
  }
}
