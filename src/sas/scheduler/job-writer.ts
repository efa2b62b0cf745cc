import type { Telemetry } from '../../telemetry/index.js'
import type { Schedule } from '../decisions/continue-or-end-job.js'
import { stepsAsIn, withAcceptance } from '../decisions/ledger.js'
import type { EndedJob } from '../in-process/job-endings.js'
import type { GateChange } from '../gates/gates-at-home.js'
import type { InProcessPath } from '../in-process/in-process-path.js'
import type { JobDocument, StepDocument } from '../model/documents.js'
import { withDocumentsOf } from '../model/planned/planned-steps.js'
import { isTerminal } from '../model/process-state.js'
import type { PauseBoard, PauseReading } from '../pauses/pause-board.js'
import { applyOverLeftOver } from '../store/left-over.js'
import { asStored, replacing, type StateStore, type Stored } from '../store/state-store.js'
import type { UnclearWrites } from '../store/unclear-writes.js'
import { offeredTo } from '../submission/begun-job.js'
import type { KnownJobs } from './known-jobs.js'

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
}

interface JobWriterOptions {
  readonly store: StateStore
  readonly telemetry: Telemetry
  readonly inProcessPath?: InProcessPath
  readonly board: PauseBoard
}

/** Writes the decision about a job, and remembers the written documents. */
export class JobWriter {
  constructor(
    private readonly options: JobWriterOptions,
    private readonly known: KnownJobs,
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
    const firstBy = agents?.token ?? null
    const changed = decision.changed.map((step) => offeredTo(step, firstBy))
    const isChangedAgain = changed.some(({ id }) => id === settled?.after.id)
    const after =
      settled === undefined || isChangedAgain
        ? changed
        : [...changed, withAcceptance(settled.after, decision.job.steps)]
    const pairs: { before: Stored<StepDocument>; after: StepDocument }[] = []
    for (const step of after) {
      const before = step.id === settled?.after.id ? settled.before : this.known.step(job, step.stepId)
      if (before === undefined) return null
      pairs.push({ before, after: step })
    }
    const next = withDocumentsOf(decision.job, after)
    const writes = [
      ...gates.flatMap((gate) => gate.writes),
      replacing(job, next),
      ...pairs.map((pair) => replacing(pair.before, pair.after)),
      ...decision.notices.map((document) => ({ kind: 'create' as const, document })),
    ]
    const result = await unclear.write(() => applyOverLeftOver(this.options.store, job.pk, writes))
    if (result.kind === 'conflict') {
      this.options.telemetry.emit({ type: 'store.conflict', operation: 'schedule', id: result.id })
    }
    if (result.kind !== 'applied') {
      for (const gate of gates) gate.failed()
      return null
    }
    const [jobEtag = '', ...stepEtags] = afterGates(result.etags, gates)
    const steps = pairs.map((pair, index) => ({
      document: asStored(pair.after, { _etag: stepEtags[index] ?? '', _ts: 0 }),
      replacedEtag: pair.before._etag,
    }))
    const written = { document: asStored(next, { _etag: jobEtag, _ts: 0 }), replacedEtag: job._etag }
    const ended = isTerminal(next) && !isTerminal(job) ? this.endOf(next, after) : null
    this.known.putWritten(written, steps)
    return {
      ended,
      steps: steps.map(({ document }) => document),
      physicalRangeId: result.physicalRangeId,
    }
  }

  /**
   * Returns the job with its steps. The steps are null unless all of them are remembered or were just
   * written.
   */
  private endOf(job: JobDocument, written: readonly StepDocument[]): EndedJob {
    const steps = new Map<string, StepDocument>(this.known.stepsOf(job))
    for (const step of written) steps.set(step.stepId, step)
    return { job, steps: stepsAsIn(job, steps) }
  }
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
