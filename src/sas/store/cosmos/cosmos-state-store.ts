import { systemClock } from '../../../platform/index.js'
import { backoffDelayMs, systemRandom } from '../../../platform/internal.js'
import {
  askAgainForRanges,
  cosmosErrorKind,
  failureOf,
  watchFailures,
} from '../../../../lease-store/internal.js'
import { applyBatch } from './cosmos-batch.js'
import { orderedPage, type Ask } from './cosmos-ordered-page.js'
import { overdueDocuments } from './cosmos-overdue.js'
import { CosmosSingleWrites } from './cosmos-single-writes.js'
import { CosmosStateRequests, type CosmosStateStoreOptions } from './cosmos-state-requests.js'
import type { NoticeDocument, StepDocument } from '../../model/documents.js'
import { refuseUnreadable } from '../readable-writes.js'
import type {
  ApplyResult,
  ConcernedJob,
  DocumentAddress,
  DueBetween,
  FlaggedJob,
  OverdueBetween,
  OverdueDocument,
  PauseQuestion,
  StateDocument,
  StateStore,
  StateWrite,
  Stored,
  UnsentNotice,
} from '../state-store.js'
import { asNotice, asStep } from '../decoded-documents.js'

/** Waits for some milliseconds, longer after each try. The time is random, so that two writers do not meet again. */
const shortPause = (tries: number): Promise<void> =>
  systemClock.sleep(backoffDelayMs(tries, { minMs: 10, maxMs: 100 }, systemRandom))

/** The state container on Azure Cosmos DB, its emulator or the embedded Cosmos DB. */
export class CosmosStateStore implements StateStore {
  private readonly requests: CosmosStateRequests
  private readonly singleWrites: CosmosSingleWrites
  /** Whether reads may share requests. Some emulators refuse such requests. */
  private readsTogether = true

  constructor(options: CosmosStateStoreOptions) {
    this.requests = new CosmosStateRequests(options)
    this.singleWrites = new CosmosSingleWrites(this.requests)
    askAgainForRanges(options.container.database.client)
    watchFailures(options.container.database.client, options.retryPause ?? shortPause)
  }

  async read({ pk, id }: DocumentAddress): Promise<Stored<StateDocument> | null> {
    return this.requests.asking('state.read', async () => {
      const answer = await this.requests.container.item(id, pk).read<Stored<StateDocument>>()
      this.requests.charge('state.read', answer.requestCharge)
      return answer.resource ?? null
    })
  }

  /** Reads with one request for each physical partition. */
  async readMany(
    addresses: readonly DocumentAddress[],
  ): Promise<readonly (Stored<StateDocument> | null | undefined)[]> {
    if (!this.readsTogether) return []
    const reads = addresses.map(({ pk, id }) => ({ operationType: 'Read' as const, id, partitionKey: pk }))
    const options = {}
    try {
      // The planned replacement waits up to 100 ms for more operations, and takes five times the processor time.
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- see the line above
      const answers = await this.requests.container.items.bulk(reads, { continueOnError: true }, options)
      const charge = answers.reduce((sum, { requestCharge }) => sum + requestCharge, 0)
      this.requests.charge('state.read', charge)
      return answers.map(({ statusCode, resourceBody }) => {
        if (statusCode === 404) return null
        return statusCode === 200 ? (resourceBody as Stored<StateDocument> | undefined) : undefined
      })
    } catch (error) {
      const { kind } = cosmosErrorKind(failureOf(options) ?? error, 'read')
      if (kind === 'other') this.readsTogether = false
      return []
    }
  }

  async apply(partition: string, writes: readonly StateWrite[]): Promise<ApplyResult> {
    refuseUnreadable(writes)
    const [only, ...more] = writes
    if (only === undefined) throw new RangeError('this group has no writes: pass 1 to 100 writes')
    if (more.length === 0) return this.singleWrites.apply(partition, only)
    const onCharge = (charge: number): void => this.requests.charge('state.batch', charge)
    const result = await applyBatch(this.requests.container, partition, writes, onCharge)
    if (result.kind === 'applied') this.singleWrites.noteRange(result.physicalRangeId)
    return result
  }

  async listSteps(partition: string, jobId: string): Promise<readonly Stored<StepDocument>[]> {
    const found = await this.requests.query<Stored<StateDocument>>('state.listSteps', {
      text: "SELECT * FROM c WHERE c.type = 'sas.step' AND c.jobId = @jobId",
      parameters: { jobId },
      partition,
    })
    return found.flatMap(asStep)
  }

  async listNotices(partition: string, jobId: string): Promise<readonly Stored<NoticeDocument>[]> {
    const found = await this.requests.query<Stored<StateDocument>>('state.listNotices', {
      text: "SELECT * FROM c WHERE c.type = 'sas.notify' AND c.jobId = @jobId AND IS_NUMBER(c.completeByMs)",
      parameters: { jobId },
      partition,
    })
    return found.flatMap(asNotice)
  }

  listOverdue(due: OverdueBetween, limit: number): Promise<readonly OverdueDocument[]> {
    return overdueDocuments(this.ask('state.listOverdue'), due, limit)
  }

  listUnsent({ afterMs, beforeMs }: DueBetween, limit: number): Promise<readonly UnsentNotice[]> {
    return orderedPage<UnsentNotice>(this.ask('state.listUnsent'), {
      select: 'c.id, c.pk, c.jobId, c.completeByMs AS dueMs',
      where: "c.type = 'sas.notify'",
      field: 'c.completeByMs',
      valueOf: ({ dueMs }) => dueMs,
      after: afterMs,
      before: beforeMs,
      limit,
    })
  }

  listFlagged(afterSince: string | null, limit: number): Promise<readonly FlaggedJob[]> {
    return orderedPage<FlaggedJob>(this.ask('state.listFlagged'), {
      select: 'c.id, c.pk, c.jobId, c.attention.kind, c.attention.stepId, c.attention.since',
      where: "c.type = 'sas.job' AND IS_DEFINED(c.attention.kind)",
      field: 'c.attention.since',
      valueOf: ({ since }) => since,
      after: afterSince,
      limit,
    })
  }

  listConcerned(question: PauseQuestion): Promise<readonly ConcernedJob[]> {
    const isJob = "SELECT c.pk, c.id, c.jobId FROM c WHERE c.type = 'sas.job' AND "
    if (question.kind === 'toPause') {
      const isOpen = "c.processState IN ('Pending', 'Processing', 'Compensating')"
      return this.requests.query('state.listConcerned', {
        text: `${isJob}c.workflow = @workflow AND ${isOpen} AND NOT IS_DEFINED(c.paused.since)`,
        parameters: { workflow: question.workflow },
      })
    }
    const { kind, name } = question.with
    return this.requests.query('state.listConcerned', {
      text: `${isJob}IS_DEFINED(c.paused.since) AND c.pausedWith.kind = @kind AND c.pausedWith.name = @name`,
      parameters: { kind, name },
    })
  }

  listUnreadable(limit: number): Promise<readonly Stored<StateDocument>[]> {
    return this.requests.query('state.listUnreadable', {
      text: "SELECT TOP @limit * FROM c WHERE c.type = 'sas.unreadable'",
      parameters: { limit },
    })
  }

  private ask(operation: string): Ask {
    return (question) => this.requests.query(operation, question)
  }
}
