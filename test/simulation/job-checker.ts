import type { Container } from '../../src/emulator/engine/index.js'
import type { JobDocument, StepDocument } from '../../src/sas/model/documents.js'
import { isStaged, isTerminal } from '../../src/sas/model/process-state.js'
import type { StateWrite } from '../../src/sas/store/state-store.js'
import type { Request } from '../../src/testing/network.js'
import type { Call, Checker, SimulationEvent, Written } from '../../src/testing/events.js'
import { stateContainer } from '../../src/testing/job-fleet.js'
import { Effects } from './effects.js'
import { isJobChange, JobDocuments, type JobChange, type StepChange } from './job-changes.js'
import { jobRules } from './job-rules.js'
import { firstJobId } from './remote-services.js'
import { isOutcome, stepRules } from './step-rules.js'

const maxDocumentBytes = 1_500_000
const maxBatchBytes = 2_000_000
const maxOperations = 100

/** The numbers of a run for its report. */
export interface JobCounts {
  readonly acknowledged: number
  readonly lost: number
  readonly outcomes: number
  readonly lateOutcomes: number
}

export interface JobCheckerOptions {
  readonly container: () => Container
  /**
   * Whether a request to a service may take longer than an attempt. Then its late arrival cannot be
   * prevented.
   */
  readonly areRequestsSlow: boolean
}

/**
 * Checks every write about jobs against the invariants of docs/failure-matrix.md. Each problem begins with
 * the id of the broken invariant.
 */
export class JobChecker implements Checker {
  private readonly documents: JobDocuments
  private readonly acknowledged = new Set<string>()
  /** The attempts by their key, and the keys by their attempts (I9). */
  private readonly placeOf = new Map<string, string>()
  private readonly keyOf = new Map<string, string>()
  /** The processes that may make an attempt that requires a claim, by its key and number. Empty if none has claimed it. */
  private readonly claimants = new Map<string, readonly string[]>()
  private readonly open = new Set<string>()
  /** The jobs that restarts have made. */
  private readonly restarts = new Set<string>()
  private lastSized: Request | null = null
  private outcomes = 0
  private lateOutcomes = 0
  /** The current jobs by id. */
  readonly jobs = new Map<string, JobDocument>()
  /** The effects in services that are not undone. */
  readonly effects: Effects

  constructor(private readonly options: JobCheckerOptions) {
    this.documents = new JobDocuments(options.container)
    // Each job of the simulation has its own partition, which contains its restarts.
    const step = (jobId: string, stepId: string) => this.documents.step(firstJobId(jobId), jobId, stepId)
    this.effects = new Effects(step)
  }

  get counts(): JobCounts {
    const lost = [...this.acknowledged].filter((jobId) => !this.jobs.has(jobId)).length
    const { outcomes, lateOutcomes } = this
    return { acknowledged: this.acknowledged.size, lost, outcomes, lateOutcomes }
  }

  get endedCount(): number {
    return this.jobs.size - this.open.size
  }

  /** Checks whether this many jobs were submitted, and all have ended, with their restarts. */
  haveEnded(count: number): boolean {
    return this.jobs.size - this.restarts.size === count && this.open.size === 0
  }

  /** Returns the job, or the last of its restarts. */
  newest(jobId: string): JobDocument | undefined {
    const job = this.jobs.get(jobId)
    return job?.restartedAs === undefined ? job : this.newest(job.restartedAs.jobId)
  }

  stepsOf(job: JobDocument): ReadonlyMap<string, StepDocument> {
    return this.documents.steps(job)
  }

  check(event: SimulationEvent): readonly string[] {
    switch (event.type) {
      case 'written':
        return event.container === stateContainer ? this.written(event) : []
      case 'acknowledged':
        this.acknowledged.add(event.jobId)
        return this.jobs.has(event.jobId) ? [] : [`I1: job ${event.jobId} was acknowledged and is not stored`]
      case 'called':
        return this.called(event)
      case 'delivery.started':
      case 'delivery.accepted':
      case 'delivery.setAside':
      case 'lease.released':
      case 'fault':
        return []
    }
  }

  private written(event: Written): readonly string[] {
    const problems = [...this.foreign(event), ...this.oversized(event)]
    if (event.after === null) return [...problems, ...this.gone(event)]
    const begun = this.documents.begun(event)
    const change = this.documents.change(event)
    if (change === null) return problems
    if (isJobChange(change)) {
      const { after: job } = change
      this.jobs.set(job.jobId, job)
      this.noteRestart(change)
      if (isTerminal(job)) this.open.delete(job.jobId)
      // Copies of a restart that was refused stay staged until they are removed.
      else if (job.restartOf === undefined || !isStaged(job)) this.open.add(job.jobId)
      const ofSteps = begun.flatMap((step) => this.step(step))
      return [
        ...problems,
        ...jobRules.flatMap((rule) => rule(change) ?? []),
        ...this.ordered(change),
        ...ofSteps,
      ]
    }
    return [...problems, ...this.step(change)]
  }

  private noteRestart({ before, after, steps }: JobChange): void {
    const { jobId, restartOf } = after
    if (restartOf === undefined) return
    this.restarts.add(jobId)
    // In a restart in stages, the steps come after the job, and the new job owns them when it begins.
    const isBegun = before !== null && !isStaged(before)
    if (isBegun || isStaged(after)) return
    for (const { stepId, keyJobId } of steps.values()) {
      if (keyJobId !== undefined) this.effects.carriedOver(stepId, restartOf.jobId, jobId)
    }
  }

  private step(change: StepChange): readonly string[] {
    const problems = stepRules.flatMap((rule) => rule(change) ?? [])
    if (isOutcome(change)) {
      this.outcomes += 1
      this.noteSuccess(change)
      if (problems.some((problem) => problem.startsWith('I3'))) this.lateOutcomes += 1
    }
    this.noteClaim(change)
    return [...problems, ...this.keyed(change), ...this.effects.stored(change.after)]
  }

  private noteSuccess({ before, after }: StepChange): void {
    const isDone = before?.direction === 'do' && after.processState === 'Processed'
    if (isDone) this.effects.noteSuccess(before.idempotencyKey)
  }

  private noteClaim({ after }: StepChange) {
    const { isClaimRequired, lockedBy, claim, fence, idempotencyKey, attempt, returned } = after
    if (!isClaimRequired || lockedBy === null) return
    const place = `${idempotencyKey} ${attempt}`
    // A host that gave the attempt back had called its handler, whose request may still be on its way to the service.
    const isReturned = returned?.key === idempotencyKey && returned.attempt === attempt
    const earlier = isReturned ? (this.claimants.get(place) ?? []) : []
    this.claimants.set(place, claim?.fence === fence ? [...earlier, claim.by] : earlier)
  }

  /** I9: all attempts of one generation, direction and round have the same key, and no other attempt has it. */
  private keyed({ after }: StepChange): readonly string[] {
    if (after.lockedBy === null) return []
    const { jobId, stepId, direction, owed, idempotencyKey: key, round } = after
    const generation = direction === 'undo' ? (owed.at(-1)?.generation ?? 0) : after.generation
    const turn = direction === 'do' && round !== undefined ? ` ${round.number}` : ''
    const place = `${jobId} ${stepId} ${generation} ${direction}${turn}`
    const [knownKey, knownPlace] = [this.keyOf.get(place) ?? key, this.placeOf.get(key) ?? place]
    this.keyOf.set(place, key)
    this.placeOf.set(key, place)
    if (knownKey === key && knownPlace === place) return []
    return [`I9: ${key} is the key of ${place}, before it was ${knownKey} of ${knownPlace}`]
  }

  private called(call: Call): readonly string[] {
    const { key, jobId, stepId, effect, attempt, processId } = call
    const place = this.placeOf.get(key)
    if (place?.startsWith(`${jobId} ${stepId} `) !== true)
      return [`I9: a service was called with ${key} for step ${stepId} of job ${jobId}`]
    const claimants = this.claimants.get(`${key} ${attempt}`)
    if (claimants?.every((claimant) => !processId.startsWith(`${claimant}#`)) === true)
      return [
        `F-A6: ${processId} made attempt ${attempt} of ${key}, claimed by ${claimants.join() || 'no instance'}`,
      ]
    return effect === 'late' && !this.options.areRequestsSlow
      ? [`I6: ${key} was done after it was undone`]
      : this.effects.called(call)
  }

  /**
   * I14: the document alongside exists with its job. `gone` below checks I1: a job that has not ended stays.
   */
  private ordered({ before, after }: JobChange): readonly string[] {
    const hasBegun = before !== null && !isStaged(before)
    if (hasBegun || isStaged(after) || this.documents.hasOrder(after)) return []
    return [`I14: job ${after.jobId} is stored without its order`]
  }

  private gone({ before }: Written): readonly string[] {
    const document = before === null ? null : this.documents.parse(before)
    if (document?.['type'] !== 'sas.job') return []
    const job = document as unknown as JobDocument
    return isTerminal(job) ? [] : [`I1: job ${job.jobId} is gone and had not ended`]
  }

  /** I17: a document of the user is created with its job, and never changed afterwards. */
  private foreign({ before, after, by }: Written): readonly string[] {
    if (before === null || by === null) return []
    const { type } = this.documents.parse(before)
    if (typeof type === 'string' && type.startsWith('sas.')) return []
    return [`I17: ${by.process.id} ${after === null ? 'deleted' : 'changed'} ${before.id}, which is not ours`]
  }

  /** I16: no document or batch comes near the limits of the store. */
  private oversized({ after, by }: Written): readonly string[] {
    const isTooLarge = after !== null && after.text.length > maxDocumentBytes
    const problems = isTooLarge ? [`I16: ${after.id} is too large`] : []
    // A request causes as many events as it has documents.
    if (by === this.lastSized || by?.method !== 'apply') return problems
    this.lastSized = by
    return [...problems, ...oversizedBatch(by.args[1] as readonly StateWrite[])]
  }
}

function oversizedBatch(writes: readonly StateWrite[]): readonly string[] {
  const problems: string[] = []
  if (writes.length > maxOperations) problems.push(`I16: a batch of ${writes.length} operations`)
  if (writes.length > 1 && JSON.stringify(writes).length > maxBatchBytes)
    problems.push('I16: a batch over 2 MB')
  return problems
}
