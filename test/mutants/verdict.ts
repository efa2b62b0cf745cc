import type { Survivors } from './survivors.js'

/** What became of one mutant. */
export interface MutantResult {
  readonly path: string
  readonly status: string
  /** The line that it begins in, without the space around. */
  readonly line: string
  readonly lineNumber: number
  readonly code: string
  readonly becomes: string
}

/** What a run of some files says. */
export interface Verdict {
  readonly path: string
  readonly caught: number
  readonly survived: readonly MutantResult[]
  readonly unlisted: readonly MutantResult[]
  /** Listed as survivors, and caught or not there any more. */
  readonly obsolete: readonly string[]
}

/** An error at run time is one outside of a test, such as a promise that is rejected and not awaited: tests have seen it. */
const caught = new Set(['Killed', 'Timeout', 'RuntimeError'])
const survivedAs = new Set(['Survived', 'NoCoverage'])

/** Everything between words counts as one space, so that a line may be wrapped. */
export function plain(code: string): string {
  return code.replace(/\s+/g, ' ').trim()
}

/** What the results of one file mean, given the survivors that have a reason. */
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
  const keys = new Set(survived.map(keyOf))
  return {
    path,
    caught: results.filter(({ status }) => caught.has(status)).length,
    survived,
    unlisted: survived.filter((result) => !reasons.includes(keyOf(result))),
    obsolete: reasons.filter((reason) => !keys.has(reason)),
  }
}

/** The share of mutants that tests catch, in percent; 100 where there is none. */
export function scoreOf(verdicts: readonly Verdict[]): number {
  const killed = verdicts.reduce((sum, verdict) => sum + verdict.caught, 0)
  const all = killed + verdicts.reduce((sum, { survived }) => sum + survived.length, 0)
  return all === 0 ? 100 : (100 * killed) / all
}
