/** One guard taken away: the code that is broken, and the tests that must see it. */
export interface Mutant {
  /** What the guard keeps from happening, with the ids of what it serves. */
  readonly guard: string
  readonly path: string
  /** Occurs exactly once in the file. */
  readonly code: string
  readonly broken: string
  /** What to run: the quick suite that fits. */
  readonly tests: readonly string[]
}

const sas = 'test/unit/sas'
const rows = 'test/simulation/job-rows.test.ts'
const processor = 'test/unit/change-feed-processor'

/** Guards that everything rests on, and what it looks like when each is missing. */
export const mutants: readonly Mutant[] = [
  {
    guard: 'I12 I22: a document is replaced only as it was read',
    path: 'src/emulator/ports/engine-state-store.ts',
    code: 'document, ifMatch: write.ifMatch }',
    broken: 'document }',
    tests: ['test/conformance/state-store.test.ts', `${sas}/scheduler.test.ts`],
  },
  {
    guard: 'I12: a lease is replaced only as it was read',
    path: 'src/emulator/ports/engine-lease-store.ts',
    code: 'id, document, ifMatch: lease.etag })',
    broken: 'id, document })',
    tests: ['test/conformance/lease-store.test.ts'],
  },
  {
    guard: 'I12: over the wire, too',
    path: 'lease-store/cosmos-lease-store.ts',
    code: '.replace<Stored>({ ...document, id }, ifMatch(lease))',
    broken: '.replace<Stored>({ ...document, id })',
    tests: ['test/conformance/lease-store.test.ts'],
  },
  {
    guard: 'I3: an outcome of an earlier attempt counts for nothing',
    path: 'src/sas/settle.ts',
    code: 'if (step.fence !== attempt.fence)',
    broken: 'if (step.fence < attempt.fence)',
    tests: [`${sas}/settle.test.ts`],
  },
  {
    guard: 'I3: an outcome after the deadline counts for nothing',
    path: 'src/sas/settle.ts',
    code: 'now < step.completeByMs',
    broken: 'now < step.completeByMs + 60_000',
    tests: [`${sas}/settle.test.ts`],
  },
  {
    guard: 'I2: an attempt ends once',
    path: 'src/sas/settle.ts',
    code: '    step.outcome === null &&\n',
    broken: '',
    tests: [`${sas}/settle.test.ts`],
  },
  {
    guard: 'I3: an outcome is looked at again when steps were read after it was decided',
    path: 'src/sas/scheduler.ts',
    code: 'if (now.write === null) return',
    broken: 'if (now.write === undefined) return',
    tests: [`${sas}/shortcut.test.ts`],
  },
  {
    guard: 'I3: who is given up is fenced off',
    path: 'src/sas/recover.ts',
    code: 'const fenced = { ...step, fence: step.fence + 1 }',
    broken: 'const fenced = step',
    tests: [`${sas}/recover.test.ts`],
  },
  {
    guard: 'I4: an attempt that was given up counts',
    path: 'src/sas/recover.ts',
    code: 'const failed = withFailure(step)',
    broken: 'const failed = step',
    tests: [`${sas}/recover.test.ts`],
  },
  {
    guard: 'F-V6: clocks may differ by the grace',
    path: 'src/sas/recover.ts',
    code: 'const dueMs = completeByMs + policy.graceMs',
    broken: 'const dueMs = completeByMs',
    tests: [`${sas}/recover.test.ts`],
  },
  {
    guard: 'I5: a step waits for all that it depends on',
    path: 'src/sas/schedule.ts',
    code: 'step?.dependsOn.every((id)',
    broken: 'step?.dependsOn.slice(1).every((id)',
    tests: [`${sas}/schedule.test.ts`],
  },
  {
    guard: 'I2: an old version of a step is not taken over',
    path: 'src/sas/ledger.ts',
    code: 'step?.dispatch === entry.dispatch ? folds',
    broken: 'step !== undefined ? folds',
    tests: [`${sas}/schedule.test.ts`, `${sas}/reachable-states.test.ts`],
  },
  {
    guard: 'I6: what depended on a step is undone before it',
    path: 'src/sas/compensate.ts',
    code: ' && !needed.has(stepId))',
    broken: ' && needed.size >= 0)',
    tests: [`${sas}/compensate.test.ts`],
  },
  {
    guard: 'I3: what is stopped on the way back no longer counts',
    path: 'src/sas/dispatch.ts',
    code: 'desiredState: step.initialState,\n    lockedBy: null,\n    fence: step.fence + 1,',
    broken: 'desiredState: step.initialState,\n    lockedBy: null,',
    tests: [`${sas}/compensate.test.ts`, `${sas}/recover-job.test.ts`],
  },
  {
    guard: 'F-K2: an attempt that may be running is undone after its deadline',
    path: 'src/sas/compensate.ts',
    code: 'return mayBeRunning ?',
    broken: 'return by.now < 0 && mayBeRunning ?',
    tests: [`${sas}/compensate.test.ts`],
  },
  {
    guard: 'I9: every generation has its own key',
    path: 'src/sas/work.ts',
    code: '/g${generation}/',
    broken: '/g1/',
    tests: [`${sas}/compensate.test.ts`],
  },
  {
    guard: 'F-A6: an attempt is claimed once',
    path: 'src/sas/claim.ts',
    code: ' || !isUnclaimed(step)) return',
    broken: ') return',
    tests: [`${sas}/claim.test.ts`],
  },
  {
    guard: 'I7: only what failed or was undone is resubmitted',
    path: 'src/sas/operate.ts',
    code: "if (job.processState !== 'Error') {",
    broken: 'if (job.fence < 0) {',
    tests: [`${sas}/operate.test.ts`],
  },
  {
    guard: 'I10: a page without news moves no position past what is unhandled',
    path: 'src/change-feed-processor/progress.ts',
    code: 'if (this.isBehind || only',
    broken: 'if (only',
    tests: [
      `${processor}/parallel.test.ts`,
      `${processor}/page-delivery.test.ts`,
      `${processor}/partition-supervisor.test.ts`,
    ],
  },
  {
    guard: 'I10: a checkpoint stands where everything before it was handled',
    path: 'src/change-feed-processor/progress.ts',
    code: 'const known = lastPosition(page, count)',
    broken: 'const known = lastPosition(page, page.page.changes.length)',
    tests: [
      `${processor}/page-delivery.test.ts`,
      `${processor}/parallel.test.ts`,
      `${processor}/partition-supervisor.test.ts`,
    ],
  },
  {
    guard: 'I10 F-X2: what waits beside the feed keeps the checkpoint before it',
    path: 'src/change-feed-processor/progress.ts',
    code: 'this.holds.add(hold)',
    broken: 'void hold',
    tests: [`${processor}/page-delivery.test.ts`, rows],
  },
  {
    guard: 'F-L7: an owner stops by itself before its lease expires',
    path: 'src/change-feed-processor/lease-holder.ts',
    code: 'return writtenAtMs + expirationMs - marginMs',
    broken: 'return writtenAtMs + 10 * expirationMs - marginMs',
    tests: [`${processor}/lease-holder.test.ts`],
  },
  {
    guard: 'I12: an instance makes a lease its own once at a time',
    path: 'src/change-feed-processor/partition-controller.ts',
    code: ' || this.acquiring.has(leaseToken)) return false',
    broken: ') return false',
    tests: [`${processor}/partition-controller.test.ts`],
  },
  {
    guard: 'F-L15: a lease expires by the store’s clock, not sooner',
    path: 'lease-store/expiry.ts',
    code: 'storeTimeMs - intervalMs - storeResolutionMs',
    broken: 'storeTimeMs - intervalMs / 2',
    tests: ['test/unit/lease-store/expiry.test.ts'],
  },
  {
    guard: 'I13 F-N2: what happened first is told first',
    path: 'src/sas/reply-line.ts',
    code: '(a, b) => a.seq - b.seq',
    broken: '(a, b) => b.seq - a.seq',
    tests: [rows],
  },
  {
    guard: 'F-A3 I21: an effect is repeated under its old key',
    path: 'src/sas/dispatch.ts',
    code: 'idempotencyKey: idempotencyKey(step, step.generation, step.direction),',
    broken: 'idempotencyKey: `${idempotencyKey(step, step.generation, step.direction)}/${step.fence}`,',
    tests: [rows],
  },
  {
    guard: 'I1: a job that could not be begun in its submitter’s process is read at once by whose it is',
    path: 'src/sas/scheduler.ts',
    code: 'return refused.length === 0',
    broken: 'return refused.length >= 0',
    tests: ['test/unit/sas/scheduler.test.ts'],
  },
  {
    guard: 'I2: a result is handed over only as the ledger of its job has it',
    path: 'src/sas/ledger.ts',
    code: 'return end === undefined || step.processState === end ? [step] : []',
    broken: 'return [step]',
    tests: ['test/unit/sas/ledger.test.ts'],
  },
]
