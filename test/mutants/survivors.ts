/** Mutants that no test need see, and why. */
export interface Survivors {
  readonly path: string
  readonly reason: string
  /** The line that the mutant is in, what it replaces there, and by what. */
  readonly mutants: readonly (readonly [line: string, code: string, becomes: string])[]
}

const processor = 'src/change-feed-processor'

/** `npm run mutants` fails for a survivor that is not listed here, and for one listed here that is caught. */
export const survivors: readonly Survivors[] = [
  {
    path: 'lease-store/balance.ts',
    reason:
      'Of two instances that have equally many, either may give. An initial list of one is no more than any share.',
    mutants: [
      [
        'const fullest = others.reduce((most, leases) => (leases.length > most.length ? leases : most), [])',
        'leases.length > most.length',
        'leases.length >= most.length',
      ],
      [
        'const fullest = others.reduce((most, leases) => (leases.length > most.length ? leases : most), [])',
        '[]',
        '["Stryker was here"]',
      ],
    ],
  },
  {
    path: 'lease-store/balance.ts',
    reason: 'Names are compared without their case, whichever case that is.',
    mutants: [
      [
        'return JSON.stringify([instanceName.toLowerCase(), incarnation])',
        'instanceName.toLowerCase()',
        'instanceName.toUpperCase()',
      ],
    ],
  },
  {
    path: 'lease-store/cosmos-errors.ts',
    reason: 'The default is whatever is no write.',
    mutants: [
      [
        "export function cosmosErrorKind(error: unknown, operation: 'read' | 'write' = 'read'): CosmosErrorKind {",
        "'read'",
        '""',
      ],
    ],
  },
  {
    path: 'lease-store/coverage.ts',
    reason:
      'A lease that begins where the range ends, or ends where others do, adds nothing; ranges of one beginning may stand in any order.',
    mutants: [
      ['if (min >= range.max) break', 'min >= range.max', 'min > range.max'],
      ['if (max > reached) reached = max', 'max > reached', 'max >= reached'],
      ['if (left === right) return 0', 'left === right', 'false'],
      ['return left < right ? -1 : 1', 'left < right', 'left <= right'],
    ],
  },
  {
    path: 'lease-store/handover.ts',
    reason: 'For the compiler: nothing is older than a time that is not known.',
    mutants: [
      [
        'const isLongFree = patience.storeTimeMs !== null && isOlder(lease, patience.storeTimeMs, fetchMs)',
        'patience.storeTimeMs !== null',
        'true',
      ],
    ],
  },
  {
    path: 'lease-store/overlap-repair.ts',
    reason:
      'What is equal does not come this far, and a lease does not overlap with itself. What is no number is none by any name.',
    mutants: [
      [
        'return compareLeases(one, other) < 0 ? { stays: one, goes: other } : { stays: other, goes: one }',
        'compareLeases(one, other) < 0',
        'compareLeases(one, other) <= 0',
      ],
      ['const digits = /^"(\\d+)"$/u.exec(continuationToken ?? \'\')?.[1]', "''", '"Stryker was here!"'],
      ['return left < right ? -1 : 1', 'left < right', 'left <= right'],
    ],
  },
  {
    path: `${processor}/option-kinds.ts`,
    reason:
      'Null is left out before its kind is asked for, and what is neither is missing where it is looked for. Words of a kind within another are never shown.',
    mutants: [
      ["const isObject = typeof value === 'object' && value !== null", 'value !== null', 'true'],
      ["return typeof value === 'object' && value !== null && member in value", 'value !== null', 'true'],
      ["having('', 'readNext', 'physicalRanges'),", "''", '"Stryker was here!"'],
      ["inWords: '',", "''", '"Stryker was here!"'],
    ],
  },
  {
    path: `${processor}/coverage-watch.ts`,
    reason:
      'What is no lease is compared with no lease. Leases that are covered are remembered in vain: the latest position counts.',
    mutants: [
      ['private seen: readonly Lease[] = []', '[]', '["Stryker was here"]'],
      [
        'this.known = [...leases, ...this.known.filter(({ feedRange }) => !isCovered(feedRange, leases))]',
        'this.known.filter(({ feedRange }) => !isCovered(feedRange, leases))',
        'this.known',
      ],
    ],
  },
  {
    path: 'src/sas/duration.ts',
    reason: 'What is no unit is none by any name.',
    mutants: [
      [
        "const [, amount, unit = ''] = /^(\\d+(?:\\.\\d+)?)([a-z]+)$/.exec(duration.trim()) ?? []",
        "''",
        '"Stryker was here!"',
      ],
      [
        "const [, amount, unit = ''] = /^(\\d+(?:\\.\\d+)?)([a-z]+)$/.exec(duration.trim()) ?? []",
        '[]',
        '["Stryker was here"]',
      ],
    ],
  },
  {
    path: 'src/sas/ledger.ts',
    reason: 'For the compiler: every step of a job has an entry.',
    mutants: [
      [
        'return stepIds.filter((stepId) => steps.get(stepId)?.dispatch !== ledger[stepId]?.dispatch)',
        'ledger[stepId]?.dispatch',
        'ledger[stepId].dispatch',
      ],
    ],
  },
  {
    path: 'src/sas/retention.ts',
    reason: 'A step that a transaction takes alone, and not beside its small job, would be tried in vain.',
    mutants: [
      ["if (lasting.some((step) => isTooLarge(step, { job }))) return { kind: 'nothing' }", '{ job }', '{}'],
    ],
  },
]
