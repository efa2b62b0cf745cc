import type { Clock } from '../../platform/index.js'

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
  readonly clock: Clock
  readonly alone: (question: Q) => Promise<A>
  /**
   * Asks for 2 to 100 operations with one request. The result has their order. Undefined, or missing at the end, means
   * that this operation must be asked for alone.
   */
  readonly together: (questions: readonly Q[]) => Promise<readonly (A | undefined)[]>
}

/**
 * Lets operations share requests. An operation begins at once if no other one is under way. Otherwise it begins with the
 * next request, which has all operations that were asked for meanwhile. So thousands of operations take few requests.
 */
export class Together<Q, A> {
  private asked: Asked<Q, A>[] = []
  private underWay = 0
  private lastBeganMs = 0

  constructor(private readonly asking: Asking<Q, A>) {}

  /** Each caller gets the answer or the error of its own operation. */
  ask(question: Q): Promise<A> {
    return new Promise((answer) => {
      this.asked.push({ question, answer })
      const isSlow = this.asking.clock.now() - this.lastBeganMs >= slowMs
      if (this.underWay === 0 || isSlow) this.begin()
    })
  }

  private begin(): void {
    const { alone, clock } = this.asking
    const together = this.asked.splice(0, mostTogether)
    this.lastBeganMs = clock.now()
    this.underWay += 1
    const answers = this.together(together.map(({ question }) => question))
    const operations = together.map(async ({ question, answer }, index) => {
      const operation = answers.then(({ [index]: found }) => (found === undefined ? alone(question) : found))
      answer(operation)
      await operation
    })
    const beginNext = (): void => {
      this.underWay -= 1
      if (this.asked.length > 0) this.begin()
    }
    Promise.allSettled(operations).then(beginNext, beginNext)
  }

  private together(questions: readonly Q[]): Promise<readonly (A | undefined)[]> {
    return questions.length === 1 ? Promise.resolve([]) : this.asking.together(questions)
  }
}
