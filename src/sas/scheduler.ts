import type { Change } from '../change-feed-processor/index.js'
import type { Clock } from '../platform/index.js'
import type { Telemetry } from '../telemetry/index.js'
import {
  decodeDocument,
  isTerminal,
  jobDocumentId,
  stepDocumentId,
  type JobDocument,
  type StepDocument,
} from './documents.js'
import { RecentDocuments } from './recent-documents.js'
import type { Schedule } from './decision.js'
import { StoreUnavailable } from './errors.js'
import { schedule } from './schedule.js'
import { SerialByKey } from './serial-by-key.js'
import { setAside } from './set-aside.js'
import { replacing, type DocumentAddress, type StateStore, type Stored } from './state-store.js'
import { readJob, updateDocument } from './update-document.js'

/** What a scheduler works with. */
export interface SchedulerOptions {
  readonly store: StateStore
  readonly instanceName: string
  readonly clock: Clock
  readonly telemetry: Telemetry
}

/** Decisions about one job before it is given back to the feed: each is a read and a conditional write. */
const maxTries = 6
/** Documents remembered; at about 1 KB each. */
const rememberedDocuments = 10_000

/** A job some document of which has changed. */
interface ChangedJob extends DocumentAddress {
  readonly jobId: string
  readonly stepIds: Set<string>
}

/** A step that a decision needs and nobody can read. */
interface UnreadableStep {
  readonly stepId: string
  /** By this version of the code: newer code wrote it. */
  readonly isNewer: boolean
  readonly message: string
}

type Unreadable = UnreadableStep & { readonly kind: 'unreadable' }

/**
 * The delegate of the scheduler unit: for every job with a change, read → decide ({@link schedule}) → apply, and on a
 * lost race read again. It keeps no state that matters: killed anywhere, another instance decides the same from the
 * same documents.
 */
export class Scheduler {
  private readonly jobs = new RecentDocuments<JobDocument>(rememberedDocuments)
  private readonly steps = new RecentDocuments<StepDocument>(rememberedDocuments)
  private readonly partitions = new SerialByKey()

  constructor(private readonly options: SchedulerOptions) {}

  /** Resolves when everything that follows from these changes is written; rejects when some of it could not be. */
  async onChanges(changes: readonly Change[]): Promise<void> {
    const changed = new Map<string, ChangedJob>()
    for (const change of changes) this.note(change, changed)
    const work = [...changed.values()].map((job) =>
      this.partitions.run(job.pk, () => this.advanceOrSetAside(job)),
    )
    const failed = (await Promise.allSettled(work)).find((result) => result.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }

  private note(change: Change, changed: Map<string, ChangedJob>): void {
    const decoded = decodeDocument(change)
    if (decoded.kind === 'job') {
      const job = { ...decoded.job, _etag: change._etag, _ts: change._ts }
      this.jobs.put(job)
      if (isTerminal(job)) this.forget(job)
      else changedJob(job, changed)
      // Somebody asks that all of it be looked at anew (R98): what we remember is what has not led anywhere.
      if (job.lockedBy === null && job.fence > 0) this.forgetSteps(job)
    } else if (decoded.kind === 'step') {
      const step = { ...decoded.step, _etag: change._etag, _ts: change._ts }
      this.steps.put(step)
      if (callsForScheduler(step)) changedJob(step, changed).stepIds.add(step.stepId)
    } else if (decoded.kind === 'invalid' || decoded.kind === 'newerSchema') {
      const reason =
        decoded.kind === 'invalid' ? decoded.reason : `schema ${decoded.schema} is newer than this code`
      this.options.telemetry.emit({ type: 'document.refused', id: change.id, reason })
      if (decoded.kind === 'invalid') noteUnreadableStep(change, changed)
    }
  }

  /** One job that cannot be decided about must not keep the others of its range from being done (F-C9, F-C13, F-Q15). */
  private async advanceOrSetAside(changed: ChangedJob): Promise<void> {
    try {
      await this.advance(changed)
    } catch (error) {
      // What passes by itself is delivered again; so is what cannot even be flagged.
      if (error instanceof StoreUnavailable) throw error
      await this.setAside(changed, { message: messageOf(error), stepId: null })
    }
  }

  private async advance(changed: ChangedJob): Promise<void> {
    const wanted = new Set(changed.stepIds)
    let wasUnreadable = false
    for (let tries = 0; tries < maxTries; tries += 1) {
      const job = this.jobs.get(changed) ?? (await this.readJob(changed))
      if (job === null) {
        const reason = `its job ${changed.jobId} does not exist`
        this.options.telemetry.emit({ type: 'document.refused', id: changed.id, reason })
        return
      }
      const decision = await this.decide(job, wanted)
      if (decision.kind === 'nothing') return
      if (decision.kind === 'write' && (await this.apply(job, decision))) return
      if (decision.kind === 'unreadable') {
        // The job may be gone with its step, and only we remember it: believe it when the store shows both.
        if (wasUnreadable) return this.setAside(changed, decision)
        wasUnreadable = true
      }
      // Lost a race, or read something old: what we remember of this job is not to be trusted.
      this.forget(job)
    }
    const message = `job ${changed.jobId}: still contended after ${maxTries} tries; it will be delivered again`
    throw new StoreUnavailable(message, { cause: null })
  }

  /** Decides, reading the steps that the decision turns out to need. Never answers `read`. */
  private async decide(job: Stored<JobDocument>, wanted: Set<string>): Promise<Schedule | Unreadable> {
    const { clock, instanceName } = this.options
    if (isTerminal(job)) return { kind: 'nothing' }
    for (let rounds = 0; rounds < maxTries; rounds += 1) {
      const own = [...wanted].filter((stepId) => job.stepIds.includes(stepId))
      const unreadable = (await Promise.all(own.map((stepId) => this.ensureStep(job, stepId)))).flat()
      // Newer code wrote it, and an instance that knows it will see the same change (F-C10).
      if (unreadable.some((step) => step.isNewer)) return { kind: 'nothing' }
      const [first] = unreadable
      if (first !== undefined) return { kind: 'unreadable', ...first }
      const known = job.stepIds.map((stepId) => [stepId, this.steps.get(stepAddress(job, stepId))] as const)
      const steps = new Map(
        known.filter((entry): entry is [string, Stored<StepDocument>] => entry[1] !== undefined),
      )
      const decision = schedule({ job, steps, now: clock.now(), scheduler: instanceName })
      if (decision.kind !== 'read') return decision
      for (const stepId of decision.stepIds) {
        this.steps.forget(stepAddress(job, stepId))
        wanted.add(stepId)
      }
    }
    return { kind: 'stale' }
  }

  /** Takes a job out of the loop that cannot go on (F-V24); an operator mends it and resubmits. */
  private async setAside(
    { pk, id }: DocumentAddress,
    { message, stepId }: Pick<Unreadable, 'message'> & { readonly stepId: string | null },
  ): Promise<void> {
    const { store, clock, instanceName, telemetry } = this.options
    const from = { address: { pk, id }, known: null, read: readJob }
    const obstacle = { now: clock.now(), by: instanceName, message, stepId }
    const update = await updateDocument(store, from, (job: JobDocument) => {
      if (isTerminal(job)) return { write: null, result: null }
      const aside = setAside(job, obstacle)
      return { write: aside.job, created: aside.notices, result: null }
    })
    if (update.kind !== 'written') {
      telemetry.emit({ type: 'document.refused', id, reason: message })
      return
    }
    const { document: job } = update
    this.forget(job)
    const about = { jobId: job.jobId, workflow: job.workflow }
    telemetry.emit({ type: 'attention.raised', ...about, stepId, kind: 'corrupt', message })
    telemetry.emit({ type: 'job.finished', ...about, state: job.processState })
  }

  private async apply(job: Stored<JobDocument>, decision: Schedule & { kind: 'write' }): Promise<boolean> {
    const before: Stored<JobDocument | StepDocument>[] = [job]
    for (const step of decision.changed) {
      const known = this.steps.get(step)
      if (known === undefined) return false
      before.push(known)
    }
    const after = [decision.job, ...decision.changed]
    const writes = before.flatMap((document, index) => {
      const next = after[index]
      return next === undefined ? [] : [replacing(document, next)]
    })
    const notices = decision.notices.map((document) => ({ kind: 'create' as const, document }))
    const result = await this.options.store.apply(job.pk, [...writes, ...notices])
    if (result.kind === 'conflict') {
      this.options.telemetry.emit({ type: 'store.conflict', operation: 'schedule', id: result.id })
    }
    if (result.kind !== 'applied') return false
    this.remember(decision, result.etags)
    this.report(decision)
    return true
  }

  private remember(decision: Schedule & { kind: 'write' }, etags: readonly string[]): void {
    const [jobEtag, ...stepEtags] = etags
    decision.changed.forEach((step, index) => {
      this.steps.put({ ...step, _etag: stepEtags[index] ?? '', _ts: 0 })
    })
    this.jobs.put({ ...decision.job, _etag: jobEtag ?? '', _ts: 0 })
    if (isTerminal(decision.job)) this.forget(decision.job)
  }

  private report({ job, changed }: Schedule & { kind: 'write' }): void {
    const { jobId, workflow } = job
    for (const { stepId, attempt } of changed.filter((step) => step.lockedBy !== null)) {
      this.options.telemetry.emit({ type: 'step.dispatched', jobId, workflow, stepId, attempt })
    }
    if (!isTerminal(job)) return
    if (job.attention !== null) {
      const { kind, message, stepId } = job.attention
      this.options.telemetry.emit({ type: 'attention.raised', jobId, workflow, stepId, kind, message })
    }
    this.options.telemetry.emit({ type: 'job.finished', jobId, workflow, state: job.processState })
  }

  private forget(job: JobDocument): void {
    this.jobs.forget(job)
    this.forgetSteps(job)
  }

  private forgetSteps(job: JobDocument): void {
    for (const stepId of job.stepIds) this.steps.forget(stepAddress(job, stepId))
  }

  private async readJob(address: DocumentAddress): Promise<Stored<JobDocument> | null> {
    const job = await readJob(this.options.store, address)
    if (job !== null) this.jobs.put(job)
    return job
  }

  /** Reads a step unless it is at hand; answers what kept it from being read. */
  private async ensureStep(job: JobDocument, stepId: string): Promise<UnreadableStep[]> {
    const address = stepAddress(job, stepId)
    if (this.steps.get(address) !== undefined) return []
    const document = await this.options.store.read(address)
    if (document === null) return [{ stepId, isNewer: false, message: `step ${stepId} is gone` }]
    const decoded = decodeDocument(document)
    if (decoded.kind === 'step') {
      this.steps.put({ ...decoded.step, _etag: document._etag, _ts: document._ts })
      return []
    }
    const reason = decoded.kind === 'invalid' ? decoded.reason : 'it is no step'
    const message = `step ${stepId} cannot be read: ${reason}`
    return [{ stepId, isNewer: decoded.kind === 'newerSchema', message }]
  }
}

/** A step tells the scheduler something when an attempt has ended or was given back, not when it is merely under way. */
function callsForScheduler(step: StepDocument): boolean {
  return step.dispatch > 0 && step.lockedBy === null
}

/** Its job cannot do without it, so that is where it is shown. */
function noteUnreadableStep({ type, pk, jobId, stepId }: Change, changed: Map<string, ChangedJob>): void {
  if (type !== 'sas.step' || typeof pk !== 'string') return
  if (typeof jobId !== 'string' || typeof stepId !== 'string') return
  changedJob({ pk, jobId }, changed).stepIds.add(stepId)
}

function changedJob(
  document: Pick<JobDocument, 'pk' | 'jobId'>,
  changed: Map<string, ChangedJob>,
): ChangedJob {
  const id = jobDocumentId(document.jobId)
  const key = `${document.pk}\n${id}`
  const known = changed.get(key) ?? { pk: document.pk, id, jobId: document.jobId, stepIds: new Set<string>() }
  changed.set(key, known)
  return known
}

function stepAddress(job: JobDocument, stepId: string): DocumentAddress {
  return { pk: job.pk, id: stepDocumentId(job.jobId, stepId) }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}
