import { counted } from '../../platform/internal.js'
import { ConfigurationInvalid } from '../../connection/index.js'
import { CliError } from './cli-error.js'

/** Collects the problems of a command before it does any work, so that one error reports them all. */
export class Problems {
  private readonly found: string[] = []

  add(...problems: readonly string[]): void {
    this.found.push(...problems)
  }

  /** Returns the result of `check`. If `check` throws, records the problem and returns undefined. */
  async trying<T>(check: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await check()
    } catch (error) {
      if (error instanceof ConfigurationInvalid) this.add(...error.problems)
      else if (error instanceof CliError) this.add(error.message)
      else throw error
      return undefined
    }
  }

  /** @throws ConfigurationInvalid with all recorded problems, if there are any */
  refuse(): void {
    if (this.found.length > 0) throw new ConfigurationInvalid(this.found)
  }
}

/** The most problems of a message, and the most characters of each. A file may have many lines, and a line may be long. */
const mostProblems = 10
const mostCharacters = 500

/** Returns the first problems in one sentence, and the number of the others. */
export function firstProblems(problems: readonly string[]): string {
  const first = problems.slice(0, mostProblems).map((problem) => {
    return problem.length <= mostCharacters ? problem : `${problem.slice(0, mostCharacters)}…`
  })
  const left = problems.length - first.length
  return [...first, ...(left > 0 ? [`and ${counted(left, 'more line')}`] : [])].join('; ')
}
