import { containerNameProblem, listDeadLetters } from '../../../operations/index.js'
import { withExistingStore } from '../../input/store.js'
import type { StoreOptions } from '../../input/store-options.js'
import { wholeNumber } from '../../input/whole-number.js'
import { CliError, exitCodes } from '../../output/cli-error.js'
import { fitted } from '../../output/fitted.js'
import { table, type Terminal } from '../../output/terminal.js'

export interface DeadLettersOptions extends StoreOptions {
  readonly limit: string
}

/** Prints the newest changes that a processor has set aside in this container. */
export async function deadLetters(
  container: string,
  options: DeadLettersOptions,
  terminal: Terminal,
): Promise<number> {
  const problem = containerNameProblem(container)
  if (problem !== null) throw new CliError(`${JSON.stringify(container)} ${problem}`, exitCodes.usage)
  const limit = wholeNumber('--limit', options.limit, { min: 1, max: 1_000 })
  const rows = await withExistingStore({ options, terminal }, (settings) =>
    listDeadLetters(settings, { container, limit }),
  )
  if (options.json === true) {
    terminal.print(JSON.stringify(rows))
  } else if (rows.length === 0) {
    terminal.print(`no dead letters in container ${JSON.stringify(container)}`)
  } else {
    const lines = rows.map(({ at, documentId, leaseToken, error }) => [
      at,
      documentId,
      leaseToken,
      `${error.name}: ${error.message}`,
    ])
    const head = ['AT', 'DOCUMENT', 'LEASE', 'ERROR']
    terminal.print(table(head, fitted(head, lines, terminal.tableWidth)))
  }
  return exitCodes.ok
}
