import { parseArgs } from 'node:util'
import { faultLevels, type FaultLevel } from './faults.js'

export const usage =
  'usage: main.js [--port N] [--stock FILE] [--unlisted-units N] [--seed N] [--faults none|some|many]'

export interface CommandLine {
  readonly port: number
  readonly stockPath: string | undefined
  readonly unlistedUnits: number
  readonly seed: number
  readonly faults: FaultLevel
}

export function parseCommandLine(args: readonly string[]): CommandLine | { readonly problems: string[] } {
  try {
    return check(split(args))
  } catch (error) {
    // An option does not exist, or its value is missing. Node's message says which.
    return { problems: [error instanceof Error ? error.message : String(error)] }
  }
}

function split(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string', default: '0' },
      stock: { type: 'string' },
      'unlisted-units': { type: 'string', default: '500' },
      seed: { type: 'string', default: '1' },
      faults: { type: 'string', default: 'some' },
    },
  })
  return values
}

function check(values: ReturnType<typeof split>): CommandLine | { readonly problems: string[] } {
  const problems: string[] = []
  const wholeNumber = (option: 'port' | 'unlisted-units' | 'seed', max: number): number => {
    const text = values[option]
    const isAllowed = /^\d+$/.test(text) && Number(text) <= max
    if (!isAllowed) problems.push(`--${option} must be a whole number from 0 to ${max}, got '${text}'`)
    return Number(text)
  }
  const port = wholeNumber('port', 65_535)
  const unlistedUnits = wholeNumber('unlisted-units', 1_000_000_000)
  const seed = wholeNumber('seed', Number.MAX_SAFE_INTEGER)
  const { faults, stock: stockPath } = values
  if (!isFaultLevel(faults)) {
    return { problems: [...problems, `--faults must be none, some or many, got '${faults}'`] }
  }
  return problems.length > 0 ? { problems } : { port, stockPath, unlistedUnits, seed, faults }
}

function isFaultLevel(text: string): text is FaultLevel {
  return Object.hasOwn(faultLevels, text)
}
