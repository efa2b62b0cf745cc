/** Mutants that tests need not catch, and the reason. */
export interface Survivors {
  readonly path: string
  readonly reason: string
  /** The line of the mutant, the code that it replaces, and the replacement. */
  readonly mutants: readonly (readonly [line: string, code: string, becomes: string])[]
}

const processor = 'src/change-feed-processor'

/** `npm run mutants` fails when a mutant survives that is not listed here, and when a listed one is caught. */
export const survivors: readonly Survivors[] = [
  {
    path: 'lease-store/balance.ts',
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
    path: 'lease-store/balance.ts',
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
    path: 'lease-store/cosmos-errors.ts',
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
    path: 'lease-store/coverage.ts',
    reason:
      'A lease that begins at the end of the range, or ends where others do, adds nothing. Ranges with the same beginning may be in any order.',
    mutants: [
      ['if (min >= range.max) break', 'min >= range.max', 'min > range.max'],
      ['if (max > reached) reached = max', 'max > reached', 'max >= reached'],
      ['if (left === right) return 0', 'left === right', 'false'],
      ['return left < right ? -1 : 1', 'left < right', 'left <= right'],
    ],
  },
  {
    path: 'lease-store/handover.ts',
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
    path: 'lease-store/overlap-repair.ts',
    reason:
      'Equal leases do not reach this code, and a lease does not overlap with itself. Any text that is not a number has the same effect.',
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
    path: `${processor}/option-kinds.ts`,
    reason:
      'Null is excluded before its kind is checked, and other values are then missing. The words of a nested kind are never shown.',
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
    path: `${processor}/coverage-watch.ts`,
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
    path: 'src/sas/duration.ts',
    reason: 'Any text that is not a unit has the same effect.',
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
    reason: 'Needed by the compiler only: every step of a job has an entry.',
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
      'Needed by the compiler only: every step of a job has an entry in its ledger, and the steps used here were read before.',
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
    reason: 'Steps under way in a released job were read before; no other step can become ready by that.',
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
      'Only a gathering step depends on steps of left-out items, and each of its items depends on one of them.',
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
    reason:
      'A step that fits a transaction alone, but not together with its small job, would only be tried in vain.',
    mutants: [
      ["if (lasting.some((step) => isTooLarge(step, { job }))) return { kind: 'nothing' }", '{ job }', '{}'],
    ],
  },
]
