import { parseArgs } from 'node:util'
import { fileURLToPath } from 'node:url'
import { faultLevels, type FaultLevel } from './services/index.js'

export const usage = `usage: npm start -- [options]

  --orders FILE    JSON Lines, one order a line   (default: the 40 orders of the sample)
  --stock FILE     JSON list of { productId, unitsInStock }; other products have 500 units
  --faults LEVEL   none, some or many             (default: some)
  --seed N         decides which requests fail    (default: 1)
  --restock        when all orders have ended, fill the shelves and have what
                   failed tried again, as an operator would
  --data DIR       where the embedded Cosmos DB keeps its data; what an earlier run
                   left there is removed first (default: .stepward/orders)
  --json           print the summary as one JSON object
  --help           print this`

export interface CommandLine {
  readonly orders: string
  readonly stock: string | null
  readonly faults: FaultLevel
  readonly seed: number
  readonly data: string
  readonly isRestocked: boolean
  readonly isJson: boolean
  readonly isHelp: boolean
}

export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/**
 * Returns the path of a file in the sample's `data` folder, whether this code runs from `dist` or from the
 * sources.
 */
function own(file: string): string {
  const here = fileURLToPath(new URL('.', import.meta.url)).replaceAll('\\', '/')
  return `${here.replace('/dist/samples/', '/samples/')}data/${file}`
}

/** Reads the command line. Throws a UsageError that lists all problems with the values. */
export function readCommandLine(words: readonly string[]): CommandLine {
  const { values } = parsed(words)
  const { orders, stock, faults, seed, data } = values
  const problems: string[] = []
  if (!Object.hasOwn(faultLevels, faults)) {
    problems.push(`--faults ${JSON.stringify(faults)} must be ${Object.keys(faultLevels).join(', ')}`)
  }
  if (!/^\d{1,15}$/.test(seed)) problems.push(`--seed ${JSON.stringify(seed)} must be a whole number`)
  if (problems.length > 0) throw new UsageError(problems.join('; '))
  return {
    orders: orders ?? own('orders.jsonl'),
    // Another orders file may name other products, so the sample's own stock may not fit.
    stock: stock ?? (orders === undefined ? own('stock.json') : null),
    faults: faults as FaultLevel,
    seed: Number(seed),
    data,
    isRestocked: values.restock,
    isJson: values.json,
    isHelp: values.help,
  }
}

function parsed(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      options: {
        orders: { type: 'string' },
        stock: { type: 'string' },
        faults: { type: 'string', default: 'some' },
        seed: { type: 'string', default: '1' },
        data: { type: 'string', default: '.stepward/orders' },
        restock: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}
