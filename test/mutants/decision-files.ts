/** A file to mutate, and the tests that judge its mutants. */
export interface DecisionFile {
  readonly path: string
  readonly tests: readonly string[]
  /** Mutates only these lines, each of which occurs once in the file. Default: the whole file. */
  readonly lines?: readonly string[]
}

/**
 * Files by path within the room, without `.ts`, each with its tests. An empty list means the unit test of the same
 * name. Names that begin with `integration/` are paths within `test`.
 */
type Files = Readonly<Record<string, readonly string[]>>

function inRoom(room: string, tests: string, files: Files): DecisionFile[] {
  return Object.entries(files).map(([name, judges]) => ({
    path: `${room}/${name}.ts`,
    tests: (judges.length === 0 ? [name] : judges).map((judge) =>
      judge.startsWith('integration/') ? `test/${judge}.test.ts` : `${tests}/${judge}.test.ts`,
    ),
  }))
}

/** Tests of whole jobs that use only the decisions. */
const stories = [
  'decisions/schedule',
  'waiting-steps',
  'continuing-steps',
  'workflow/for-each',
  'decisions/compensate',
]

const operatorTests = ['decisions/operator/operate', 'decisions/owed-undos', 'workflow/for-each']

/**
 * The pure files that decide. Their tests take milliseconds, because each runs once for every mutant it
 * reaches.
 */
export const decisionFiles: readonly DecisionFile[] = [
  ...inRoom('lease-store', 'test/unit/lease-store', {
    'balance/balance': [],
    'cosmos/cosmos-errors': [],
    'ranges/compare': [],
    'ranges/coverage': [],
    'lease/expiry': [],
    'lease/feed-range': [],
    'balance/handover': [],
    'lease/lease-document': ['lease/lease-document', 'recorded-documents'],
    'lease/lease-naming': [],
    'lease/observation': [],
    'ranges/overlap-repair': [],
    'ranges/overlap': [],
    'lease/transitions': [],
    'balance/duplicate-instance': [],
  }),
  ...inRoom('src/platform/options', 'test/unit/platform/options', {
    duration: ['duration', 'kinds'],
    kinds: [],
    'read-options': ['read-options', 'kinds'],
    'retry-option': ['kinds'],
  }),
  ...inRoom('src/change-feed-processor', 'test/unit/change-feed-processor', {
    'feed/change-identity': [],
    'ownership/partition-synchronizer': [
      'integration/change-feed-processor/ownership/partition-synchronizer',
    ],
    'feed/decode-change': [],
    'options/delivery-options': ['options/options'],
    'options/failure-policy': [],
    'delivery/low-water-mark': [],
    'options/options': [],
    'delivery/page-positions': [],
    'reading/page-size': [],
    'ownership/planned-lease': [],
    'options/poll-delay': [],
    'options/port-options': ['options/options'],
    'options/timing': ['options/options'],
    'delivery/progress': [],
    'lease-holding/retry-delay': [],
    'ownership/split': [],
    'feed/start-position': [],
  }),
  ...inRoom('src/sas', 'test/unit/sas', {
    'decisions/claim': ['decisions/claim', 'decisions/owed-undos', 'decisions/recover-step'],
    'decisions/compensate': [
      'decisions/compensate',
      'continuing-steps',
      'decisions/owed-undos',
      'integration/sas/decisions/recover-job',
      'decisions/operator/operate',
      'integration/sas/decisions/notices',
    ],
    'plan/condition': [
      'integration/sas/plan/condition',
      'waiting-steps',
      'workflow/for-each',
      'plan/condition-operators',
      'continuing-steps',
    ],
    'plan/condition-problem': [
      'plan/condition-problem',
      'workflow/misread',
      'integration/sas/plan/condition',
      'plan/condition-operators',
      'workflow/workflow',
    ],
    'plan/pattern': ['plan/pattern', 'plan/condition-operators'],
    'plan/plan-schema': ['plan/plan-schema'],
    'decisions/continue-or-end-job': [
      'decisions/continue-or-end-job',
      ...stories,
      'integration/sas/decisions/notices',
    ],
    'decisions/dispatch': [
      ...stories,
      'decisions/dispatch',
      'decisions/owed-undos',
      'decisions/claim',
      'decisions/recover-step',
      'integration/sas/decisions/recover-job',
    ],
    'decisions/extend': [],
    'plan/fan-out': [],
    'workflow/for-each': [],
    'plan/gather': [],
    'decisions/owed-undos': ['decisions/owed-undos', 'decisions/compensate', 'decisions/operator/operate'],
    'decisions/give-up': [],
    'decisions/ledger': [
      'decisions/ledger',
      'continuing-steps',
      'waiting-steps',
      'decisions/schedule',
      'decisions/compensate',
      'decisions/owed-undos',
    ],
    'decisions/notices': ['integration/sas/decisions/notices'],
    'decisions/operator/operate': operatorTests,
    'decisions/operator/request': operatorTests,
    'decisions/operator/resubmit': operatorTests,
    'workflow/plan-draft': [
      'workflow/workflow',
      'workflow/for-each',
      'workflow/sub-workflow',
      'integration/sas/plan/condition',
    ],
    'decisions/operator/raise-event': ['waiting-steps'],
    'decisions/recover-step': [],
    'model/is-over': ['model/is-over', 'decisions/retention', 'integration/sas/decisions/notices'],
    'decisions/readers': [],
    'decisions/recover-job': ['integration/sas/decisions/recover-job'],
    'decisions/retention': ['decisions/retention', 'integration/sas/decisions/notices'],
    'decisions/schedule': [
      ...stories,
      'integration/sas/plan/condition',
      'integration/sas/decisions/recover-job',
      'integration/sas/decisions/notices',
    ],
    'decisions/set-aside': ['integration/sas/decisions/set-aside'],
    'decisions/settle': ['decisions/settle', 'decisions/compensate', 'decisions/owed-undos'],
    'decisions/settle-notice': [],
    'workflow/step-options': ['workflow/workflow'],
    'workflow/sub-workflow': [],
    'submission/submit': [],
    'submission/submit-problems': [],
    'plan/template': [],
    'store/transaction': [],
    'workflow/undo-problems': ['workflow/workflow', 'workflow/for-each'],
    'client/waits/wait-pace': [],
    'model/work': [],
  }),
]

/** Single lines with essential guards, in files that apply decisions. */
export const guards: readonly DecisionFile[] = [
  {
    // I12: a lease is replaced or deleted only in the version that was read.
    path: 'lease-store/cosmos/cosmos-lease-store.ts',
    lines: ["return { accessCondition: { type: 'IfMatch', condition: lease.etag } }"],
    tests: [
      'test/conformance/lease-store.test.ts',
      'test/integration/lease-store/cosmos/cosmos-lease-store.test.ts',
    ],
  },
  {
    // I12, I22: the embedded store refuses a write that is based on another version.
    path: 'src/emulator/engine/transaction.ts',
    lines: ["if (ifMatch !== undefined && ifMatch !== '*' && ifMatch !== stored.etag) {"],
    tests: ['test/conformance/state-store.test.ts', 'test/unit/emulator/engine/container.test.ts'],
  },
  {
    // F-L7: an owner stops by itself before its lease expires.
    path: 'src/change-feed-processor/lease-holding/trusted-until.ts',
    lines: ['return writtenAtMs + expirationMs - marginMs'],
    tests: ['test/integration/change-feed-processor/lease-holding/lease-holder.test.ts'],
  },
  {
    // I12: an instance makes only one attempt at a time to acquire a lease.
    path: 'src/change-feed-processor/ownership/partition-controller.ts',
    lines: ['if (this.isStopping || this.holds(leaseToken) || this.acquiring.has(leaseToken)) return false'],
    tests: ['test/integration/change-feed-processor/ownership/partition-controller.test.ts'],
  },
  {
    // I3: an outcome is decided again if the deadline has passed since the decision, for example while steps were read.
    path: 'src/sas/scheduler/concluding-attempts.ts',
    lines: [
      'if (late?.write === null) return { written: null, discarded: late.result, followUp: () => undefined }',
    ],
    tests: [
      'test/integration/sas/scheduler/scheduler.test.ts',
      'test/integration/sas/in-process/in-process-path.test.ts',
    ],
  },
  {
    // I1: when a job could not be begun in its submitter's process, its scheduler reads it at once.
    path: 'src/sas/scheduler/scheduler.ts',
    lines: ['return refused.length === 0'],
    tests: [
      'test/integration/sas/scheduler/scheduler.test.ts',
      'test/integration/sas/in-process/in-process-path.test.ts',
    ],
  },
  {
    // I13, F-N2: earlier notices are sent first.
    path: 'src/sas/notifier/send-replies.ts',
    lines: ['const [next] = [...left].sort((a, b) => a.seq - b.seq)'],
    tests: ['test/integration/sas/notifier/notifier.test.ts', 'test/unit/sas/notifier/reply.test.ts'],
  },
]
