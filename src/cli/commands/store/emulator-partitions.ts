import type { PartitionRange } from '../../../emulator/index.js'
import { AdminRefusal, callAdmin, wellKnownKey } from '../../../emulator/internal.js'
import { systemClock } from '../../../platform/index.js'
import { CliError, exitCodes } from '../../output/cli-error.js'
import { table, type Terminal } from '../../output/terminal.js'

export interface PartitionsOptions {
  readonly endpoint: string
  readonly key?: string
  readonly json?: boolean
}

export interface SplitOptions extends PartitionsOptions {
  readonly range?: string
}

export interface MergeOptions extends PartitionsOptions {
  readonly ranges: readonly string[]
}

/** Splits a physical partition of a running emulator, and prints its two children. */
export async function emulatorSplit(
  container: string,
  options: SplitOptions,
  terminal: Terminal,
): Promise<number> {
  const rangeId = options.range === undefined ? {} : { rangeId: options.range }
  show(await repartition('split', { ...named(container), ...rangeId }, options), options, terminal)
  return exitCodes.ok
}

/** Merges two neighbouring physical partitions of a running emulator, and prints the result. */
export async function emulatorMerge(
  container: string,
  options: MergeOptions,
  terminal: Terminal,
): Promise<number> {
  const { ranges } = options
  if (ranges.length !== 2 || ranges[0] === ranges[1]) {
    throw new CliError(
      `--ranges ${ranges.join(' ')} must be two different range ids, for example --ranges 1 2`,
      exitCodes.usage,
    )
  }
  show(await repartition('merge', { ...named(container), rangeIds: ranges }, options), options, terminal)
  return exitCodes.ok
}

function show(ranges: readonly PartitionRange[], { json }: PartitionsOptions, terminal: Terminal): void {
  if (json === true) terminal.print(JSON.stringify(ranges))
  else {
    const rows = ranges.map(({ id, min, max }) => [id, min, max])
    terminal.print(table(['RANGE', 'FROM', 'TO'], rows))
  }
}

function named(container: string): { readonly database: string; readonly container: string } {
  const [database, name, ...more] = container.split('/')
  if (database === undefined || database === '' || name === undefined || name === '' || more.length > 0) {
    throw new CliError(
      `${JSON.stringify(container)} must be DATABASE/CONTAINER, for example stepward/state`,
      exitCodes.usage,
    )
  }
  return { database, container: name }
}

async function repartition(
  operation: 'split' | 'merge',
  body: Readonly<Record<string, unknown>>,
  { endpoint, key = wellKnownKey }: PartitionsOptions,
): Promise<readonly PartitionRange[]> {
  if (!/^https?:$/u.test(URL.canParse(endpoint) ? new URL(endpoint).protocol : '')) {
    const rule = 'must be a URL that begins with http:// or https://'
    throw new CliError(`--endpoint ${JSON.stringify(endpoint)} ${rule}`, exitCodes.usage)
  }
  const now = systemClock.now()
  try {
    const answer = await callAdmin({ endpoint, key, operation, body, now })
    return (answer as { readonly ranges: readonly PartitionRange[] }).ranges
  } catch (error) {
    if (error instanceof AdminRefusal) {
      throw new CliError(error.message, exitCodeByStatus[error.status] ?? exitCodes.failed, { cause: error })
    }
    throw new CliError(
      `no emulator answers at ${endpoint}: start one with "stepward emulator", or pass --endpoint`,
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
