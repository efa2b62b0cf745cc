import { survivorsOfJobs } from './survivors-of-jobs.js'
import type { Survivors } from './verdict.js'

const processor = 'src/change-feed-processor'

/**
 * `npm run mutants` fails when a mutant survives that is not listed here, and when a listed one is caught.
 */
export const survivors: readonly Survivors[] = [
  {
    path: 'lease-store/balance/balance.ts',
    reason:
      'Of two instances with equally many leases, either may give one. An initial list of one is no more than any share.',
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
    path: 'lease-store/balance/balance.ts',
    reason: 'Names are compared without case, so upper and lower case do equally well.',
    mutants: [
      [
        'return JSON.stringify([instanceName.toLowerCase(), incarnation])',
        'instanceName.toLowerCase()',
        'instanceName.toUpperCase()',
      ],
    ],
  },
  {
    path: 'lease-store/cosmos/cosmos-errors.ts',
    reason: 'Every operation that is not a write is treated alike, so any such value works as the default.',
    mutants: [
      [
        "export function cosmosErrorKind(error: unknown, operation: 'read' | 'write' = 'read'): CosmosErrorKind {",
        "'read'",
        '""',
      ],
    ],
  },
  {
    path: 'lease-store/ranges/coverage.ts',
    reason: 'A lease that begins at the end of the range, or ends where others do, adds nothing.',
    mutants: [
      ['if (min >= range.max) break', 'min >= range.max', 'min > range.max'],
      ['if (max > reached) reached = max', 'max > reached', 'max >= reached'],
    ],
  },
  {
    path: 'lease-store/balance/handover.ts',
    reason: 'Needed by the compiler only: no comparison with an unknown time is true.',
    mutants: [
      [
        'const isLongFree = patience.storeTimeMs !== null && isOlder(lease, patience.storeTimeMs, fetchMs)',
        'patience.storeTimeMs !== null',
        'true',
      ],
    ],
  },
  {
    path: 'lease-store/ranges/overlap-repair.ts',
    reason:
      'Equal leases do not reach this code, and a lease does not overlap with itself. Any text that is not a number has the same effect.',
    mutants: [
      [
        'return compareLeases(one, other) < 0 ? { stays: one, goes: other } : { stays: other, goes: one }',
        'compareLeases(one, other) < 0',
        'compareLeases(one, other) <= 0',
      ],
      ['const digits = /^"(\\d+)"$/u.exec(continuationToken ?? \'\')?.[1]', "''", '"Stryker was here!"'],
    ],
  },
  {
    path: 'lease-store/ranges/compare.ts',
    reason: 'Equal values do not reach this line.',
    mutants: [['return one < other ? -1 : 1', 'one < other', 'one <= other']],
  },
  {
    path: `${processor}/delivery/page-positions.ts`,
    reason:
      'Without an end token the number is NaN, and no number is smaller than NaN; the last place has none either. Places beyond the last change are skipped or never requested.',
    mutants: [
      ['if (token === null) return changes.map(() => null)', 'token === null', 'false'],
      ['const smallestAfter: number[] = []', '[]', '["Stryker was here"]'],
      [
        'for (let index = changes.length - 1; index >= 0; index -= 1) {',
        'changes.length - 1',
        'changes.length + 1',
      ],
      [
        'if (change !== undefined) smallest = Math.min(smallest, lsnOf(change))',
        'change !== undefined',
        'true',
      ],
    ],
  },
  {
    path: `${processor}/ownership/partition-synchronizer.ts`,
    reason:
      'Concerns a range that splits while its lease is put back: the look fails instead, and the next look does the same.',
    mutants: [
      [
        "if (lease === null || (await leaseStore.create(lease)).kind !== 'created') continue",
        'lease === null',
        'false',
      ],
    ],
  },
  {
    path: `${processor}/ownership/partition-synchronizer.ts`,
    reason:
      'A missing lease is compared with a missing lease. Remembering covered leases has no effect, because the latest position counts.',
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
    path: 'src/change-feed-processor/delivery/progress.ts',
    reason:
      'Places with equally many changes before them have one position, and what is stored already is not stored again.',
    mutants: [
      [
        'if (held === null || place.upTo <= held.before) return this.pass(place)',
        'place.upTo <= held.before',
        'place.upTo < held.before',
      ],
      [
        'if (this.reported === null || place.upTo > this.reported.upTo) this.reported = place',
        'place.upTo > this.reported.upTo',
        'place.upTo >= this.reported.upTo',
      ],
      [
        '(first, place) => (first !== null && first.before <= place.before ? first : place),',
        'first.before <= place.before',
        'first.before < place.before',
      ],
      ['if (upTo < this.handled) return nothingToDo', 'upTo < this.handled', 'upTo <= this.handled'],
    ],
  },
  {
    path: 'src/change-feed-processor/delivery/progress.ts',
    reason:
      'Needed by the compiler only: only a continuation has a token. To report nothing fails, and what fails there is let go.',
    mutants: [
      ['if (reported === null) return', 'reported === null', 'false'],
      [
        "if (this.reached.kind === 'continuation' && this.reached.token === token) return nothingToDo",
        "this.reached.kind === 'continuation'",
        'true',
      ],
    ],
  },
  {
    path: 'src/change-feed-processor/delivery/progress.ts',
    reason:
      'There is no position before the first change of a page. For speed: the one after all of it needs no look inside.',
    mutants: [
      ['for (let passed = count; passed > 0; passed -= 1) {', 'passed > 0', 'passed >= 0'],
      [
        'if (count === page.changes.length) return positionAfterAll(page)',
        'count === page.changes.length',
        'false',
      ],
    ],
  },
  {
    path: 'src/platform/options/retry-option.ts',
    reason: 'The code of a problem is shown nowhere.',
    mutants: [["context.issues.push({ code: 'custom', message, input: undefined })", "'custom'", '""']],
  },
  {
    path: 'src/change-feed-processor/options/delivery-options.ts',
    reason:
      'Code that runs when the module is loaded, before the mutation tester switches a mutant on. `options.test` fails when it is changed by hand.',
    mutants: [["checkpoint: optional(oneOf('auto', 'manual'), 'auto' as const),", "'auto'", '""']],
  },
  {
    path: 'src/change-feed-processor/options/options.ts',
    reason:
      'Code that runs when the module is loaded, before the mutation tester switches a mutant on. `options.test` fails when it is changed by hand.',
    mutants: [
      [
        "mode: optional(oneOf('latestVersion', 'allVersionsAndDeletes'), 'latestVersion' as const),",
        "'latestVersion'",
        '""',
      ],
    ],
  },
  ...survivorsOfJobs,
]
