/** A file to mutate, and the tests that judge its mutants. */
export interface DecisionFile {
  readonly path: string
  readonly tests: readonly string[]
  /** Mutates only these lines, each of which occurs once in the file. Default: the whole file. */
  readonly lines?: readonly string[]
}

/** Files by name, without `.ts`, each with its tests. An empty list means the test of the same name. */
type Files = Readonly<Record<string, readonly string[]>>

function inRoom(room: string, tests: string, files: Files): DecisionFile[] {
  return Object.entries(files).map(([name, judges]) => ({
    path: `${room}/${name}.ts`,
    tests: (judges.length === 0 ? [name] : judges).map((judge) => `${tests}/${judge}.test.ts`),
  }))
}

/** Tests of whole jobs that use only the decisions. */
const stories = ['schedule', 'waiting-steps', 'for-each', 'compensate']

/** The pure files that decide. Their tests take milliseconds, because each runs once for every mutant it reaches. */
export const decisionFiles: readonly DecisionFile[] = [
  ...inRoom('lease-store', 'test/unit/lease-store', {
    balance: [],
    'cosmos-errors': [],
    coverage: [],
    expiry: [],
    'feed-range': [],
    handover: [],
    'lease-document': ['lease-document', 'recorded-documents'],
    'lease-naming': [],
    observation: [],
    'overlap-repair': [],
    overlap: [],
    transitions: [],
    twin: [],
  }),
  ...inRoom('src/change-feed-processor', 'test/unit/change-feed-processor', {
    'change-identity': [],
    'coverage-watch': [],
    'decode-change': [],
    'delivery-options': ['options'],
    'failure-policy': [],
    'low-water-mark': [],
    'option-kinds': [],
    'option-rules': ['option-kinds', 'options'],
    options: [],
    'page-positions': [],
    'page-size': [],
    'planned-lease': [],
    'poll-delay': [],
    progress: [],
    'retry-delay': [],
    split: [],
    'start-position': [],
  }),
  ...inRoom('src/sas', 'test/unit/sas', {
    claim: ['claim', 'generation', 'recover'],
    compensate: ['compensate', 'generation', 'recover-job', 'operate', 'notices'],
    condition: ['condition', 'waiting-steps', 'for-each'],
    decision: ['decision', ...stories, 'notices'],
    dispatch: [...stories, 'dispatch', 'generation', 'claim', 'recover', 'recover-job'],
    duration: [],
    extend: [],
    'fan-out': [],
    'for-each': [],
    gather: [],
    generation: ['generation', 'compensate', 'operate'],
    'give-up': [],
    ledger: ['ledger', 'schedule', 'compensate', 'generation'],
    notices: [],
    operate: ['operate', 'generation', 'for-each'],
    'plan-draft': ['workflow', 'for-each', 'sub-workflow', 'condition'],
    'raise-event': ['waiting-steps'],
    recover: [],
    'recover-job': [],
    retention: ['retention', 'notices'],
    schedule: [...stories, 'recover-job', 'notices'],
    'set-aside': [],
    settle: ['settle', 'compensate', 'generation'],
    'settle-notice': [],
    'step-options': ['workflow'],
    'sub-workflow': [],
    submit: [],
    'submit-problems': [],
    template: [],
    transaction: [],
    'undo-problems': ['workflow', 'for-each'],
    'wait-pace': [],
    work: [],
  }),
]

/** Single lines with essential guards, in files that apply decisions. */
export const guards: readonly DecisionFile[] = [
  {
    // I12: a lease is replaced or deleted only in the version that was read.
    path: 'lease-store/cosmos-lease-store.ts',
    lines: ["return { accessCondition: { type: 'IfMatch', condition: lease.etag } }"],
    tests: ['test/conformance/lease-store.test.ts', 'test/unit/lease-store/cosmos-lease-store.test.ts'],
  },
  {
    // I12, I22: the embedded store refuses a write that is based on another version.
    path: 'src/emulator/engine/transaction.ts',
    lines: ["if (ifMatch !== undefined && ifMatch !== '*' && ifMatch !== stored.etag) {"],
    tests: ['test/conformance/state-store.test.ts', 'test/unit/emulator/engine/container.test.ts'],
  },
  {
    // F-L7: an owner stops by itself before its lease expires.
    path: 'src/change-feed-processor/lease-holder.ts',
    lines: ['return writtenAtMs + expirationMs - marginMs'],
    tests: ['test/unit/change-feed-processor/lease-holder.test.ts'],
  },
  {
    // I12: an instance makes only one attempt at a time to acquire a lease.
    path: 'src/change-feed-processor/partition-controller.ts',
    lines: ['if (this.isStopping || this.holds(leaseToken) || this.acquiring.has(leaseToken)) return false'],
    tests: ['test/unit/change-feed-processor/partition-controller.test.ts'],
  },
  {
    // I3: an outcome is decided again when steps were read after the decision. I1: when a job could not be begun in its
    // submitter's process, its scheduler reads it at once.
    path: 'src/sas/scheduler.ts',
    lines: [
      'if (now.write === null) return { written: null, discarded: now.result, goOn: () => undefined }',
      'return refused.length === 0',
    ],
    tests: ['test/unit/sas/scheduler.test.ts', 'test/unit/sas/shortcut.test.ts'],
  },
  {
    // I13, F-N2: earlier notices are sent first.
    path: 'src/sas/reply-line.ts',
    lines: ['const [next] = [...left].sort((a, b) => a.seq - b.seq)'],
    tests: ['test/unit/sas/notifier.test.ts', 'test/unit/sas/reply.test.ts'],
  },
]
