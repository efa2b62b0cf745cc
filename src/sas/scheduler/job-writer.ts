import type { Telemetry } from '../../telemetry/index.js'
import type { Schedule } from '../decisions/continue-or-end-job.js'
import { stepsAsIn } from '../decisions/ledger.js'
import type { EndedJob } from '../in-process/job-endings.js'
import type { InProcessPath } from '../in-process/in-process-path.js'
import type { JobDocument, StepDocument } from '../model/documents.js'
import { isTerminal } from '../model/process-state.js'
import { replacing, type StateStore, type Stored } from '../store/state-store.js'
import type { UnclearWrites } from '../store/unclear-writes.js'
import type { KnownJobs } from './known-jobs.js'

/** A decision to write. */
export type Written = Schedule & { kind: 'write' }

/** A step's outcome that is written in the transaction of what follows from it. */
export interface Settled {
  readonly before: Stored<StepDocument>
  readonly after: StepDocument
}

/** The context of a transaction. */
export interface Applying {
  readonly unclear: UnclearWrites
  readonly settled?: Settled
  /** The lease whose agents may start its steps at once; null for none. */
  readonly leaseToken: string | null
}

/** What a transaction wrote: its steps as they are stored now, and where. */
export interface Applied {
  /** The job if it has ended by it. */
  readonly ended: EndedJob | null
  readonly steps: readonly Stored<StepDocument>[]
  readonly physicalRangeId: string | null
}

/** What writing decisions needs. */
interface JobWriterOptions {
  readonly store: StateStore
  readonly telemetry: Telemetry
  readonly inProcessPath?: InProcessPath
}

/** Writes what was decided about a job, and remembers the documents as they are stored then. */
export class JobWriter {
  constructor(
    private readonly options: JobWriterOptions,
    private readonly known: KnownJobs,
  ) {}

  /**
   * One transaction: the job, the steps that change, the outcome that they follow from, notices. Null when it
   * failed.
   */
  async write(
    job: Stored<JobDocument>,
    decision: Written,
    { unclear, settled, leaseToken }: Applying,
  ): Promise<Applied | null> {
    const agents = leaseToken === null ? undefined : this.options.inProcessPath?.agents.at(leaseToken)
    const firstBy = agents?.token ?? null
    const changed = decision.changed.map((step) => (step.lockedBy === null ? step : { ...step, firstBy }))
    const isChangedAgain = changed.some(({ id }) => id === settled?.after.id)
    const after = settled === undefined || isChangedAgain ? changed : [...changed, settled.after]
    const pairs: { before: Stored<StepDocument>; after: StepDocument }[] = []
    for (const step of after) {
      const before = step.id === settled?.after.id ? settled.before : this.known.step(job, step.stepId)
      if (before === undefined) return null
      pairs.push({ before, after: step })
    }
    const writes = [
      replacing(job, decision.job),
      ...pairs.map((pair) => replacing(pair.before, pair.after)),
      ...decision.notices.map((document) => ({ kind: 'create' as const, document })),
    ]
    const result = await unclear.write(() => this.options.store.apply(job.pk, writes))
    if (result.kind === 'conflict') {
      this.options.telemetry.emit({ type: 'store.conflict', operation: 'schedule', id: result.id })
    }
    if (result.kind !== 'applied') return null
    const [jobEtag = '', ...stepEtags] = result.etags
    const steps = pairs.map((pair, index) => ({
      document: { ...pair.after, _etag: stepEtags[index] ?? '', _ts: 0 },
      replacedEtag: pair.before._etag,
    }))
    const written = { document: { ...decision.job, _etag: jobEtag, _ts: 0 }, replacedEtag: job._etag }
    const ended = isTerminal(decision.job) && !isTerminal(job) ? this.endOf(decision.job, after) : null
    this.known.putWritten(written, steps)
    return {
      ended,
      steps: steps.map(({ document }) => document),
      physicalRangeId: result.physicalRangeId,
    }
  }

  /** The job with its steps, as far as they are remembered and were written just now. */
  private endOf(job: JobDocument, written: readonly StepDocument[]): EndedJob {
    const steps = new Map<string, StepDocument>(this.known.stepsOf(job))
    for (const step of written) steps.set(step.stepId, step)
    return { job, steps: stepsAsIn(job, steps) }
  }
}
