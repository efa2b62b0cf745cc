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
    path: `${processor}/page-positions.ts`,
    reason:
      'Without a token for its end no number is smaller than NaN, and the last place has none either. What lies beyond the last change is skipped or never asked for.',
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
      'A range that splits while its lease is put back: the look fails instead, and the next one goes on alike.',
    mutants: [
      [
        "if (lease === null || (await leaseStore.create(lease)).kind !== 'created') continue",
        'lease === null',
        'false',
      ],
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
    path: 'src/sas/schedule.ts',
    reason:
      'For the compiler: every step of a job has an entry in its ledger, and what is used here was read before.',
    mutants: [
      [
        "if (needed.some((stepId) => ledger[stepId]?.state === 'Skipped')) return true",
        'ledger[stepId]?.state',
        'ledger[stepId].state',
      ],
      [
        "const isKnown = ready.some((step) => step.stepId === stepId) || ledger[stepId]?.state === 'Skipped'",
        'ledger[stepId]?.state',
        'ledger[stepId].state',
      ],
      [
        "return step?.dispatch !== ledger[stepId]?.dispatch || step?.processState !== 'Processed'",
        'ledger[stepId]?.dispatch',
        'ledger[stepId].dispatch',
      ],
      [
        "return step?.dispatch !== ledger[stepId]?.dispatch || step?.processState !== 'Processed'",
        'step?.processState',
        'step.processState',
      ],
      [
        "const failed = job.stepIds.filter((stepId) => ledger[stepId]?.state === 'Error')",
        'ledger[stepId]?.state',
        'ledger[stepId].state',
      ],
      ["return entry?.state === 'Processed' || entry?.state === 'Skipped'", 'entry?.state', 'entry.state'],
      [
        "return [stepId, ledger[stepId]?.state === 'Processed' ? step : { ...step, output: null }]",
        'ledger[stepId]?.state',
        'ledger[stepId].state',
      ],
      [
        "const isFree = step?.dispatch === ledger[stepId]?.dispatch && step?.processState === 'Pending'",
        'ledger[stepId]?.dispatch',
        'ledger[stepId].dispatch',
      ],
      [
        "const isFree = step?.dispatch === ledger[stepId]?.dispatch && step?.processState === 'Pending'",
        'step?.processState',
        'step.processState',
      ],
      [
        "const open = job.stepIds.filter((stepId) => ledger[stepId]?.state === 'NotStarted')",
        'ledger[stepId]?.state',
        'ledger[stepId].state',
      ],
      ["const [stepId = ''] = failed", "''", '"Stryker was here!"'],
      ['return step === undefined ? [] : [stop(step)]', '[]', '["Stryker was here"]'],
      ['return step === undefined ? [] : [stop(step)]', 'step === undefined', 'false'],
      [
        "const isWaiting = step !== undefined && (step.kind !== 'operation' || isHeldBack(step, state.now))",
        'step !== undefined',
        'true',
      ],
      [
        "const cause = steps.get(stepId)?.attention?.message ?? 'no reason recorded'",
        'steps.get(stepId)?.attention',
        'steps.get(stepId).attention',
      ],
    ],
  },
  {
    path: 'src/sas/schedule.ts',
    reason:
      'Of a job that was let go, what is under way is read before; nothing else can become ready by that.',
    mutants: [
      [
        'return { steps: ready, missing: job.lockedBy === null || mayBegin(ledger) ? missing : [] }',
        'job.lockedBy === null',
        'false',
      ],
    ],
  },
  {
    path: 'src/sas/fan-out.ts',
    reason:
      'Only what gathers depends on steps of items that are left out, and each of its items on one of them.',
    mutants: [
      [
        'if (fanOut === undefined || !step.dependsOn.some((id) => excess.has(id))) return step',
        'fanOut === undefined || !step.dependsOn.some((id) => excess.has(id))',
        'fanOut === undefined && !step.dependsOn.some(id => excess.has(id))',
      ],
      [
        'if (fanOut === undefined || !step.dependsOn.some((id) => excess.has(id))) return step',
        'fanOut === undefined',
        'false',
      ],
      [
        'const items = fanOut.input.items.filter((item) => ![...stepsReferredTo(item)].some((id) => excess.has(id)))',
        '[...stepsReferredTo(item)].some((id) => excess.has(id))',
        '[...stepsReferredTo(item)].every(id => excess.has(id))',
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
