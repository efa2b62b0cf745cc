import { ConfigurationInvalid } from '../../connection/index.js'
import { CliError } from './cli-error.js'

/** Collects what is wrong with a command before any of it is done, so that all of it is said at once. */
export class Problems {
  private readonly found: string[] = []

  add(...problems: readonly string[]): void {
    this.found.push(...problems)
  }

  /** What `check` answers, or undefined when it finds something wrong, which is then noted. */
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

  /** @throws ConfigurationInvalid when anything was found */
  refuse(): void {
    if (this.found.length > 0) throw new ConfigurationInvalid(this.found)
  }
}
