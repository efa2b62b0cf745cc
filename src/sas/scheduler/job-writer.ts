import type { Telemetry } from '../../telemetry/index.js'
import type { Schedule } from '../decisions/continue-or-end-job.js'
import { stepsAsIn, withAcceptance } from '../decisions/ledger.js'
import type { EndedJob } from '../in-process/job-endings.js'
import type { GateChange } from '../gates/gates-at-home.js'
import type { InProcessPath } from '../in-process/in-process-path.js'
import { copyWith } from '../model/copies/copy-with.js'
import type { JobDocument, StepDocument } from '../model/documents.js'
import { etagOfPlanned, withDocumentsOf, type BegunStep } from '../model/planned/planned-steps.js'
import { isTerminal } from '../model/process-state.js'
import type { PauseBoard, PauseReading } from '../pauses/pause-board.js'
import { applyOverLeftOver } from '../store/left-over.js'
import { asStored, replacing, type StateStore, type Stored } from '../store/state-store.js'
import type { UnclearWrites } from '../store/unclear-writes.js'
import { offeredTo } from '../submission/begun-job.js'
import { attemptsInJob, type AgentsHere } from '../submission/attempts-in-job.js'
import { successInJob, type Pair } from './success-in-job.js'
import type { KnownJobs } from './memory/known-jobs.js'
import type { AttemptsInJobs } from './memory/attempts-in-jobs.js'

export type Written = Schedule & { kind: 'write' }

/** The outcome of a step, written in one transaction with the writes that follow from it. */
export interface Settled {
  readonly before: Stored<StepDocument>
  readonly after: StepDocument
}

export interface Applying {
  readonly unclear: UnclearWrites
  readonly settled?: Settled
  /** The changes of gates in the partition of the job. */
  readonly gates: readonly GateChange[]
  /** The pauses that the decision took into account. */
  readonly pauses: PauseReading
  /**
   * The lease of the job's range. If agents of this process own the same range, they may start the steps
   * immediately. Null if the lease is unknown.
   */
  readonly leaseToken: string | null
}

/** The result of a transaction: the steps as they are stored now, and their physical range. */
export interface Applied {
  /** The job, if this transaction has ended it. */
  readonly ended: EndedJob | null
  readonly steps: readonly Stored<StepDocument>[]
  readonly physicalRangeId: string | null
  /** Whether the outcome is only in the job (I47). */
  readonly isDoneInJob?: boolean
}

interface JobWriterOptions {
  readonly store: StateStore
  readonly telemetry: Telemetry
  readonly inProcessPath?: InProcessPath
  readonly board: PauseBoard
}

const none: readonly BegunStep[] = []

/** Writes the decision about a job, and remembers the written documents. */
export class JobWriter {
  constructor(
    private readonly options: JobWriterOptions,
    private readonly known: KnownJobs,
    private readonly inJobs: AttemptsInJobs,
  ) {}

  /**
   * Writes the job, its changed steps, the outcome that caused the changes, and the notices, in one
   * transaction. Returns null if the transaction failed, or if the pauses were read too long ago.
   */
  async write(
    job: Stored<JobDocument>,
    decision: Written,
    { unclear, settled, gates, leaseToken, pauses }: Applying,
  ): Promise<Applied | null> {
    if (!this.options.board.isUsable(pauses)) return null
    const agents = leaseToken === null ? undefined : this.options.inProcessPath?.agents.at(leaseToken)
    const pairs = this.pairsOf(job, decision, settled, agents?.token ?? null)
    if (pairs === null) return null
    const here = agents && this.inJobs.reserving(agents, leaseToken ?? '')
    const begun = here === undefined ? none : begunBy(here, job, pairs, settled)
    const withdraw = (): void => {
      for (const { step } of begun) here?.withdraw(step)
    }
    const outcome = pairs.find(({ after }) => after.id === settled?.after.id)
    const done = outcome === undefined ? null : successInJob(decision.job, outcome, begun)
    const stored: Pair[] = []
    for (const pair of pairs) {
      if (pair.after === done?.step || begun.some(({ step }) => step === pair.after)) continue
      stored.push(pair === outcome ? { ...pair, after: expiringWith(decision.job, pair.after) } : pair)
    }
    const documents = stored.map((pair) => pair.after)
    const next = withDocumentsOf(decision.job, documents, done === null ? begun : [...begun, done])
    const writes = [
      ...gates.flatMap((gate) => gate.writes),
      replacing(job, next),
      ...stored.map((pair) => replacing(pair.before, pair.after)),
      ...decision.notices.map((document) => ({ kind: 'create' as const, document })),
    ]
    const result = await unclear
      .write(() => applyOverLeftOver(this.options.store, job.pk, writes))
      .catch((error: unknown) => {
        withdraw()
        throw error
      })
    if (result.kind === 'conflict') {
      this.options.telemetry.emit({ type: 'store.conflict', operation: 'schedule', id: result.id })
    }
    if (result.kind !== 'applied') {
      for (const gate of gates) gate.failed()
      withdraw()
      return null
    }
    const [jobEtag = '', ...stepEtags] = afterGates(result.etags, gates)
    const steps = stored.map((pair, index) => ({
      document: asStored(pair.after, { _etag: stepEtags[index] ?? '', _ts: 0 }),
      replacedEtag: pair.before._etag,
    }))
    for (const { document } of steps) this.inJobs.remove(document)
    for (const { step } of begun) this.inJobs.written(step)
    if (done !== null) this.inJobs.remove(done.step)
    const written = { document: asStored(next, { _etag: jobEtag, _ts: 0 }), replacedEtag: job._etag }
    const ended =
      isTerminal(next) && !isTerminal(job)
        ? this.endOf(
            next,
            pairs.map((pair) => pair.after),
          )
        : null
    this.known.putWritten(written, steps)
    return {
      ended,
      steps: [
        // Those with a promise start first, before others take their slots.
        ...begun.map(({ step }) => asStored(step, { _etag: etagOfPlanned, _ts: 0 })),
        ...steps.map(({ document }) => document),
      ],
      physicalRangeId: result.physicalRangeId,
      isDoneInJob: done !== null,
    }
  }

  /** Returns the steps before and after the write. Null if a step is not remembered any more. */
  private pairsOf(
    job: JobDocument,
    decision: Written,
    settled: Settled | undefined,
    firstBy: string | null,
  ): readonly Pair[] | null {
    const changed = decision.changed.map((step) => offeredTo(step, firstBy))
    const isChangedAgain = changed.some(({ id }) => id === settled?.after.id)
    const after =
      settled === undefined || isChangedAgain
        ? changed
        : [...changed, withAcceptance(settled.after, decision.job.steps)]
    const pairs: Pair[] = []
    for (const step of after) {
      const before = step.id === settled?.after.id ? settled.before : this.known.step(job, step.stepId)
      if (before === undefined) return null
      pairs.push({ before, after: step })
    }
    return pairs
  }

  /**
   * Returns the job with its steps. The steps are null unless all of them are remembered or were just
   * written.
   */
  private endOf(job: JobDocument, written: readonly StepDocument[]): EndedJob {
    const steps = this.known.stepsOf(job)
    for (const step of written) steps.set(step.stepId, step)
    return { job, steps: stepsAsIn(job, steps) }
  }
}

/** Returns a step that may get its document only with the end of its job. It expires with the job, as the others (I18). */
function expiringWith({ ttl }: JobDocument, step: StepDocument): StepDocument {
  return step.ttl === ttl ? step : copyWith(step, { ttl })
}

/** Returns the first attempts that begin in the job, without documents of their steps. */
function begunBy(
  agents: AgentsHere,
  job: JobDocument,
  pairs: readonly Pair[],
  settled: Settled | undefined,
): readonly BegunStep[] {
  const planned = pairs.filter(({ before }) => before._etag === etagOfPlanned)
  if (planned.length === 0) return none
  return attemptsInJob(job, planned, agents, settled?.after)
}

/** Returns the etags of the writes after those of the gates, and lets the gates go on. */
export function afterGates(etags: readonly string[], gates: readonly GateChange[]): readonly string[] {
  let at = 0
  for (const gate of gates) {
    gate.applied(etags[at] ?? '')
    at += gate.writes.length
  }
  return etags.slice(at)
}
