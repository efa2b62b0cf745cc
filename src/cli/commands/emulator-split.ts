import { AdminRefusal, callAdmin, wellKnownKey, type PartitionRange } from '../../emulator/index.js'
import { systemClock } from '../../platform/index.js'
import { CliError, exitCodes } from '../cli-error.js'
import { table, type Terminal } from '../terminal.js'

/** Options of `stepward emulator split`. */
export interface SplitOptions {
  readonly endpoint: string
  readonly key?: string
  readonly range?: string
  readonly json?: boolean
}

/** Splits a physical partition of a running emulator, and shows the two that it became. */
export async function emulatorSplit(
  container: string,
  options: SplitOptions,
  terminal: Terminal,
): Promise<number> {
  const [database, name, ...more] = container.split('/')
  if (database === undefined || database === '' || name === undefined || name === '' || more.length > 0) {
    throw new CliError(
      `${JSON.stringify(container)} must be DATABASE/CONTAINER, for example stepward/state`,
      exitCodes.usage,
    )
  }
  const rangeId = options.range === undefined ? {} : { rangeId: options.range }
  const ranges = await split({ database, container: name, ...rangeId }, options)
  if (options.json === true) terminal.print(JSON.stringify(ranges))
  else {
    const rows = ranges.map(({ id, min, max }) => [id, min, max])
    terminal.print(table(['RANGE', 'FROM', 'TO'], rows))
  }
  return exitCodes.ok
}

async function split(
  body: Readonly<Record<string, string>>,
  { endpoint, key = wellKnownKey }: SplitOptions,
): Promise<readonly PartitionRange[]> {
  const now = systemClock.now()
  try {
    const answer = await callAdmin({ endpoint, key, operation: 'split', body, now })
    return (answer as { readonly ranges: readonly PartitionRange[] }).ranges
  } catch (error) {
    if (error instanceof AdminRefusal) {
      throw new CliError(error.message, exitCodeByStatus[error.status] ?? exitCodes.failed, { cause: error })
    }
    throw new CliError(
      `no emulator answers at ${endpoint}; start one with "stepward emulator", or give --endpoint`,
      exitCodes.store,
      { cause: error },
    )
  }
}

const exitCodeByStatus: Readonly<Record<number, number>> = {
  401: exitCodes.store,
  404: exitCodes.notFound,
  410: exitCodes.conflict,
}
