import type { SerialByKey } from '../../platform/internal.js'
import type { Telemetry } from '../../telemetry/index.js'
import { knownValues } from '../decisions/ledger.js'
import { entryOfJob, requestOfJob, wholeJob } from '../gates/job-place.js'
import type { Gatekeeper } from '../gates/gatekeeper.js'
import type { Leaving } from '../gates/visits.js'
import type { JobDocument, StepDocument } from '../model/documents.js'
import type { Settled, Written } from './job-writer.js'
import type { KnownJobs } from './memory/known-jobs.js'

/** A decision that writes nothing, so no step leaves its place. */
interface NoWrite {
  readonly kind: 'nothing' | 'stale' | 'unreadable'
}

interface Remembered {
  readonly known: KnownJobs
  readonly settled?: Settled
}

/**
 * Returns the visitors that a decision lets leave their gates: steps that are over or stopped, steps that wait for an
 * operator, and a job that ends. A step or a job that is paused while it waits leaves with the place that it had.
 */
export function leavingGates(
  before: JobDocument,
  written: Written | NoWrite,
  by: Remembered,
): readonly Leaving[] {
  if (written.kind !== 'write') return []
  const steps = leavingSteps(before, written, by).flatMap((step) => leavingOf(step, before))
  const hasLeft = entryOfJob(written.job) !== entryOfJob(before)
  return hasLeft ? [...steps, ...leavingJob(before)] : steps
}

/** Returns a job that leaves its gates. If the write that ends it also let it in, its document names no gates. */
function leavingJob(job: JobDocument): readonly Leaving[] {
  const request = requestOfJob(job, knownValues({ job, steps: new Map() }, job.steps))
  if (typeof request === 'string') return []
  const { pk, jobId } = job
  const visitor = { pk, jobId, stepId: wholeJob, entry: request.entry }
  return [{ visitor, keys: request.gates.map(({ key }) => key), mayReturn: expiresSoon(job) }]
}

/** The time to live of a job whose id may be submitted again while a leave waits for a write. */
const soonMs = 60_000

/** Checks whether another job with this id could come to a gate as the same visitor, soon after this job has ended. */
function expiresSoon({ retainForMs }: JobDocument): boolean {
  return retainForMs !== null && retainForMs < soonMs
}

function leavingOf(
  { pk, jobId, stepId, place, attention }: StepDocument,
  job: JobDocument,
): readonly Leaving[] {
  if (place === undefined) return []
  const visitor = { pk, jobId, stepId, entry: place.entry }
  // An operator may release a parked step at any time, also in another process.
  const mayReturn = attention?.kind === 'parked' || expiresSoon(job)
  return [{ visitor, keys: place.gates.map(({ key }) => key), mayReturn }]
}

function leavingSteps(
  before: JobDocument,
  { job: after, changed }: Written,
  { known, settled }: Remembered,
): readonly StepDocument[] {
  const written = new Map(changed.map((step) => [step.stepId, step]))
  return after.stepIds.flatMap((stepId) => {
    if (before.steps[stepId]?.state !== 'Processing') return []
    const own = settled?.after.stepId === stepId ? settled.after : undefined
    const step = written.get(stepId) ?? own ?? known.step(before, stepId)
    if (step?.place === undefined) return []
    const was = own === undefined ? known.step(before, stepId) : settled?.before
    const isOutside = step.held !== undefined && was?.place?.entry !== step.place.entry
    if (isOutside) return was?.place === undefined ? [] : [was]
    const isAtWork = after.steps[stepId]?.state === 'Processing' && step.attention?.kind !== 'parked'
    return isAtWork ? [] : [step]
  })
}

/**
 * The leaves of written decisions. They begin in the follow-up of their write, or when the scheduler stops. If the
 * process dies before, a supervisor frees the places.
 */
export class Leaves {
  private readonly waiting = new Set<() => void>()

  constructor(
    private readonly gates: Gatekeeper,
    private readonly telemetry: Telemetry,
  ) {}

  /** Returns the function that begins these leaves once. */
  add(leaving: readonly Leaving[]): () => void {
    const begin = (): void => {
      if (this.waiting.delete(begin)) this.begin(leaving)
    }
    this.waiting.add(begin)
    return begin
  }

  /** Waits until no work of these partitions and no leave is under way. */
  async endAll(partitions: SerialByKey): Promise<void> {
    do {
      await partitions.idle()
      // The agents call the follow-up of an outcome later, and do not wait for its leaves.
      for (const begin of this.waiting) begin()
      await this.gates.stop()
    } while (!partitions.isIdle)
  }

  private begin(leaving: readonly Leaving[]): void {
    for (const { visitor, keys, mayReturn = false } of leaving) {
      for (const key of keys) {
        const left = mayReturn ? this.gates.leave(key, visitor) : this.gates.leaveForGood(key, visitor)
        left.catch((error: unknown) => {
          this.telemetry.emit({ type: 'loop.failed', loop: 'gates', error })
        })
      }
    }
  }
}
