import { QueryError } from './query-error.js'

/**
 * The kinds of work that can take very long although the query and the documents are short. `most` is the
 * limit for one request or one call.
 */
const limits = {
  combinedValues: {
    most: 10_000_000,
    tooMuch: (most: number) =>
      `The query combines more values than the limit of ${most}. Filter before you join.`,
  },
  patternComparisons: {
    most: 50_000_000,
    tooMuch: (most: number) =>
      `A LIKE pattern needs more comparisons for one text than the limit of ${most}. ` +
      'Use fewer wildcards between two %.',
  },
  expressionSteps: {
    most: 50_000_000,
    tooMuch: (most: number) =>
      `A regular expression needs more steps for one text than the limit of ${most}. ` +
      'Use a shorter expression, or fewer repetitions.',
  },
  comparedEdges: {
    most: 10_000_000,
    tooMuch: (most: number) =>
      `A spatial function compares edges more than the limit of ${most} times. Compare smaller values.`,
  },
  comparedWords: {
    most: 10_000_000,
    tooMuch: (most: number) =>
      `A full-text function compares words more than the limit of ${most} times. Compare smaller values.`,
  },
} as const

/** Counts work of one kind, and refuses work over the limit. */
export class Effort {
  private spent = 0

  constructor(private readonly kind: keyof typeof limits) {}

  /** Throws {@link QueryError} if the sum of all units exceeds the limit of the kind. */
  spend(units: number): void {
    this.spent += units
    const { most, tooMuch } = limits[this.kind]
    if (this.spent > most) throw new QueryError('BadRequest', tooMuch(most), { start: 0, end: 0 })
  }
}
