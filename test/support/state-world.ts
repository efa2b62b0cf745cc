import type { Change, ChangeFeed, FeedPosition } from '../../src/change-feed-processor/index.js'
import type { ItemOperation, JsonObject } from '../../src/emulator/engine/index.js'
import { enginePorts } from '../../src/engine-ports/index.js'
import { CosmosEngine } from '../../src/emulator/internal.js'
import { seededRandom, VirtualClock } from '../../src/platform/index.js'
import type { Processes } from '../../src/platform/internal.js'
import type { Agent } from '../../src/sas/agents/agent.js'
import { Agents } from '../../src/sas/agents/agents.js'
import { jobDocumentId, stepDocumentId } from '../../src/sas/model/document-ids.js'
import { decodeDocument } from '../../src/sas/model/decode.js'
import type { JobDocument, StepDocument } from '../../src/sas/model/documents.js'
import { plannedSteps, withDocumentsOf } from '../../src/sas/model/planned/planned-steps.js'
import { PauseBoard } from '../../src/sas/pauses/pause-board.js'
import type { Payloads } from '../../src/sas/payloads/payloads.js'
import { Scheduler } from '../../src/sas/scheduler/scheduler.js'
import type { SchedulerOptions } from '../../src/sas/scheduler/scheduler-options.js'
import type { InProcessPath } from '../../src/sas/in-process/in-process-path.js'
import type { JobQueries } from '../../src/sas/store/job-queries.js'
import { replacing, type StateStore, type StateWrite, type Stored } from '../../src/sas/store/state-store.js'
import { submit, type SubmitRequest } from '../../src/sas/submission/submit.js'
import type { AskAgents } from '../../src/sas/supervisor/look.js'
import { Supervisor } from '../../src/sas/supervisor/supervisor.js'
import { tellJobs } from '../../src/sas/client/pauses/tell-jobs.js'
import { cancelRun } from '../../src/sas/client/cancel-run.js'
import { TelemetryRecorder } from '../../src/telemetry/index.js'
import {
  aSubmission,
  aWorkflow,
  shop,
  submittedAtMs,
  type ShapeOptions,
  type WorkflowShape,
} from './a-job.js'
import { StoreFaults } from './store-faults.js'

const database = 'stepward'
const container = 'state'

/**
 * One state container in memory, a clock that stands still, and instances of the three roles that a test
 * passes changes to. There are no leases and no loops of the processor, so that a test decides which role
 * sees which change, and when.
 */
export class StateWorld {
  readonly clock = new VirtualClock(submittedAtMs)
  readonly telemetry = new TelemetryRecorder()
  readonly random = seededRandom(1)
  /** The stored documents, without faults. */
  readonly truth: StateStore
  /** The faults of {@link store} and {@link queries}. */
  readonly faults = new StoreFaults()
  /** The store that every role of this world uses. */
  readonly store: StateStore
  readonly queries: JobQueries
  private readonly engine: CosmosEngine
  private readonly feed: ChangeFeed
  private position: FeedPosition = { feedRange: { min: '', max: 'FF' }, start: { kind: 'beginning' } }

  /** @param retentionMinutes how long all versions are kept; by default, only the latest versions are */
  constructor({ retentionMinutes }: { readonly retentionMinutes?: number } = {}) {
    const { clock, random } = this
    const engine = new CosmosEngine({ now: () => clock.now(), nextId: () => random.id() })
    engine.createDatabase(database)
    const partitionKey = { paths: ['/pk'], kind: 'Hash', version: 2 }
    const changeFeedPolicy = { retentionDuration: retentionMinutes ?? 0 }
    engine.createContainer(database, {
      id: container,
      partitionKey,
      defaultTtl: -1,
      ...(retentionMinutes === undefined ? {} : { changeFeedPolicy }),
    })
    this.engine = engine
    const ports = enginePorts(engine, database)
    this.truth = ports.stateStore(container)
    this.store = this.faults.on(this.truth)
    this.queries = this.faults.on(ports.jobQueries(container))
    this.feed = ports.changeFeed(container)
  }

  scheduler(
    instanceName = 'scheduler-1',
    options: Pick<SchedulerOptions, 'inProcessPath' | 'onOpenSteps' | 'onJobEnded'> = {},
  ): Scheduler {
    const { store, clock, telemetry, random } = this
    // Tests count the requests of the scheduler without those of the board, which a host makes in the background.
    const board = new PauseBoard({ store: this.truth, clock, telemetry })
    return new Scheduler({ store, instanceName, clock, telemetry, random, board, ...options })
  }

  agents(
    options: {
      readonly agents?: readonly Agent[]
      readonly slots?: number
      readonly instanceName?: string
      readonly inProcessPath?: InProcessPath
      readonly unhealthyReason?: () => string | null
      readonly processes?: Processes
      readonly payloads?: Payloads
    } = {},
  ): Agents {
    const { store, clock, telemetry, random } = this
    return new Agents({
      agents: [shop],
      slots: 16,
      instanceName: 'agents-1',
      store,
      clock,
      telemetry,
      random,
      ...options,
    })
  }

  supervisor(
    options: {
      readonly instanceName?: string
      readonly sweepIntervalMs?: number
      readonly sweepLimit?: number
      readonly askAgents?: AskAgents
    } = {},
  ): Supervisor {
    const { store, clock, telemetry } = this
    const times = { sweepIntervalMs: 30_000, deadlineGraceMs: 2_000 }
    const { instanceName = 'supervisor-1' } = options
    const common = { store, clock, telemetry, instanceName }
    const asOperator = { cancel: cancelRun(common), tellJobs: tellJobs(common) }
    return new Supervisor({ ...common, ...asOperator, ...times, ...options, instanceName })
  }

  /** Stores a job like a submission. */
  async submitted(
    shape: WorkflowShape = { pay: [] },
    options: ShapeOptions = {},
    overrides: Partial<SubmitRequest> = {},
  ): Promise<void> {
    const request = aSubmission(aWorkflow(shape, options).plan, overrides)
    await this.put(request.partition, submit(request))
  }

  /** Stores a job and lets a scheduler dispatch its first steps. */
  async dispatched(shape: WorkflowShape = { pay: [] }, options: ShapeOptions = {}): Promise<void> {
    await this.submitted(shape, options)
    await this.scheduler('scheduler-0').onChanges(await this.changes())
  }

  /**
   * Stores these writes without faults and without checking their contents, like an operator's own tool. A planned step gets
   * its document, and leaves the plan of its job.
   */
  async put(partition: string, writes: readonly StateWrite[]): Promise<void> {
    const created = writes.flatMap(({ kind, document }) => (kind === 'create' ? [document] : []))
    const steps = created.filter(({ type }) => type === 'sas.step') as unknown as readonly StepDocument[]
    const jobs = new Map<string, StateWrite>()
    for (const { jobId } of steps) {
      if (typeof jobId !== 'string') continue
      const written = writes.find(({ document }) => document.id === jobDocumentId(jobId))
      const job = await this.truth.read({ pk: partition, id: jobDocumentId(jobId) })
      if (job === null) continue
      const before = (written?.document ?? job) as unknown as JobDocument
      const after = withDocumentsOf(before, steps)
      if (after !== before) jobs.set(jobDocumentId(jobId), replacing(job, after))
    }
    const others = writes.filter(({ document }) => !jobs.has(document.id))
    const operations = [...jobs.values(), ...others].map((write): ItemOperation => {
      const document = write.document as JsonObject
      if (write.kind === 'create') return { kind: 'create', document }
      return { kind: 'replace', id: write.document.id, document, ifMatch: write.ifMatch }
    })
    const result = this.engine.container(database, container).batch([partition], operations)
    if (result.kind === 'rolledBack') {
      throw new Error(`the writes were not applied: ${JSON.stringify(result.refusal)}`)
    }
  }

  /** Delivers all changes to a scheduler and to agents, until nothing follows. */
  async run(): Promise<void> {
    const [scheduler, agents] = [this.scheduler(), this.agents()]
    const going = { signal: new AbortController().signal, wasHeldAt: () => true }
    for (let page = await this.changes(); page.length > 0; page = await this.changes()) {
      await scheduler.onChanges(page)
      await agents.onChanges(page, going)
      await agents.stop(1_000)
    }
  }

  /** Lets `job-1` expire, and leaves its steps behind with this time to live, and with these changes. */
  async leaveSteps(ttl: number, changes: Partial<StepDocument> = {}): Promise<void> {
    const [job, steps] = [await this.job(), await this.truth.listSteps('job-1', 'job-1')]
    await this.put('job-1', [
      replacing(job, { ...job, ttl: 1 }),
      ...steps.map((step) => replacing(step, { ...step, ...changes, ttl })),
    ])
    await this.clock.advance(2_000)
  }

  /** Returns the changes since the last call, as one page. */
  async changes(): Promise<readonly Change[]> {
    const page = await this.feed.readNext(this.position, {
      maxItemCount: 1_000,
      signal: new AbortController().signal,
    })
    const [next] = page.next
    if (next === undefined) throw new Error('a page says where to go on')
    this.position = next
    return page.changes
  }

  async job(jobId = 'job-1', partition = jobId): Promise<Stored<JobDocument>> {
    const document = await this.truth.read({ pk: partition, id: jobDocumentId(jobId) })
    const decoded = document === null ? null : decodeDocument(document)
    if (document === null || decoded?.kind !== 'job') throw new Error(`there is no job ${jobId}`)
    return { ...decoded.job, _etag: document._etag, _ts: document._ts }
  }

  /** Returns the step, from its document or from the plan of its job. */
  async step(stepId = 'pay', jobId = 'job-1'): Promise<Stored<StepDocument>> {
    const document = await this.truth.read({ pk: jobId, id: stepDocumentId(jobId, stepId) })
    const planned = document === null ? plannedSteps(await this.job(jobId)).get(stepId) : undefined
    if (planned !== undefined) return planned
    const decoded = document === null ? null : decodeDocument(document)
    if (document === null || decoded?.kind !== 'step') throw new Error(`there is no step ${stepId}`)
    return { ...decoded.step, _etag: document._etag, _ts: document._ts }
  }
}
