/** Mutants that tests need not catch, and the reason. */
export interface Survivors {
  readonly path: string
  readonly reason: string
  /** The line of the mutant, the code that it replaces, and the replacement. */
  readonly mutants: readonly (readonly [line: string, code: string, becomes: string])[]
}

/** The result of one mutant. */
export interface MutantResult {
  readonly path: string
  readonly status: string
  /** The line in which it begins, trimmed. */
  readonly line: string
  readonly lineNumber: number
  readonly code: string
  readonly becomes: string
}

/** The verdict on some files. */
export interface Verdict {
  readonly path: string
  readonly caught: number
  readonly survived: readonly MutantResult[]
  readonly unlisted: readonly MutantResult[]
  /** Mutants listed as survivors that were caught, or no longer exist. */
  readonly obsolete: readonly string[]
}

/**
 * Statuses that count as caught. A run-time error is one outside of a test, such as an unhandled rejection.
 */
const caught = new Set(['Killed', 'Timeout', 'RuntimeError'])
const survivedAs = new Set(['Survived', 'NoCoverage'])

/** A test that is too slow on a busy machine does not show that it catches the mutant. */
const mayHaveSurvived = new Set([...survivedAs, 'Timeout'])

/** Reduces white space between words to one space, so that a line may be wrapped. */
export function plain(code: string): string {
  return code.replace(/\s+/g, ' ').trim()
}

/** The verdict on the results of one file, given the listed survivors. */
export function verdictOn(
  path: string,
  results: readonly MutantResult[],
  listed: readonly Survivors[],
): Verdict {
  const survived = results.filter(({ status }) => survivedAs.has(status))
  const reasons = listed
    .filter((group) => group.path === path)
    .flatMap(({ mutants }) => mutants.map((mutant) => mutant.map(plain).join('\n')))
  const keyOf = ({ line, code, becomes }: MutantResult): string => [line, code, becomes].map(plain).join('\n')
  const keys = new Set(results.filter(({ status }) => mayHaveSurvived.has(status)).map(keyOf))
  return {
    path,
    caught: results.filter(({ status }) => caught.has(status)).length,
    survived,
    unlisted: survived.filter((result) => !reasons.includes(keyOf(result))),
    obsolete: reasons.filter((reason) => !keys.has(reason)),
  }
}

/** The percentage of mutants that tests catch; 100 if there are no mutants. */
export function scoreOf(verdicts: readonly Verdict[]): number {
  const killed = verdicts.reduce((sum, verdict) => sum + verdict.caught, 0)
  const all = killed + verdicts.reduce((sum, { survived }) => sum + survived.length, 0)
  return all === 0 ? 100 : (100 * killed) / all
}
