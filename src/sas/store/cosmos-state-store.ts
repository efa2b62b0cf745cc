import { overdueDocuments, type Question } from './cosmos-overdue.js'
import type { Container, SqlParameter } from '@azure/cosmos'
import { cosmosErrorKind, watchFailures } from '../../../lease-store/internal.js'
import { applyBatch, rangeIdIn } from './cosmos-batch.js'
import { CosmosPartitionFeed } from './cosmos-partition-feed.js'
import { storeError } from './cosmos-store-error.js'
import {
  processStates,
  type JobDocument,
  type NoticeDocument,
  type ProcessState,
  type StepDocument,
} from '../model/documents.js'
import { jobDocumentId } from '../model/document-ids.js'
import { decodeDocument } from '../model/decode.js'
import { refuseUnreadable } from './readable-writes.js'
import { jobPage, pagePositionOf, positionOf, type JobQuestions } from './job-pages.js'
import type {
  ApplyResult,
  DocumentAddress,
  DueBetween,
  FlaggedJob,
  JobCounts,
  OverdueBetween,
  OverdueDocument,
  PartitionFeed,
  StateDocument,
  StateStore,
  StateWrite,
  Stored,
  UnsentNotice,
} from './state-store.js'
import type { JobFilter, NoticeFilter } from './job-filter.js'
import { conditionsOf, wholeMoments } from './cosmos-state-answers.js'
import { asJob, asNotice, asStep } from './decoded-documents.js'

/** Where jobs and steps live. */
export interface CosmosStateStoreOptions {
  /** Partitioned by `/pk`, with `defaultTtl` -1. */
  readonly container: Container
  /** Told the request units of every request. */
  readonly onCharge?: (operation: string, charge: number) => void
}

/** Jobs asked for when a filter does not say. */
const defaultListLimit = 100
/** The state container on Azure Cosmos DB, its emulator or the embedded one. */
export class CosmosStateStore implements StateStore {
  private readonly container: Container

  constructor(private readonly options: CosmosStateStoreOptions) {
    this.container = options.container
    watchFailures(this.container.database.client)
  }

  async read({ pk, id }: DocumentAddress): Promise<Stored<StateDocument> | null> {
    return this.asking('state.read', async () => {
      const answer = await this.container.item(id, pk).read<Stored<StateDocument>>()
      this.charge('state.read', answer.requestCharge)
      return answer.resource ?? null
    })
  }

  async apply(partition: string, writes: readonly StateWrite[]): Promise<ApplyResult> {
    refuseUnreadable(writes)
    const [only, ...more] = writes
    if (only === undefined) throw new RangeError('a group of writes has 1 to 100 writes, this one has none')
    return more.length === 0
      ? this.applyOne(partition, only)
      : applyBatch(this.container, partition, writes, (charge) => this.charge('state.batch', charge))
  }

  listOverdue(due: OverdueBetween, limit: number): Promise<readonly OverdueDocument[]> {
    return overdueDocuments((query) => this.query('state.listOverdue', query), due, limit)
  }

  async listJobs(filter: JobFilter): Promise<readonly Stored<JobDocument>[]> {
    const { limit = defaultListLimit, after } = filter
    const questions = this.questionsOf(filter)
    const found: Stored<JobDocument>[] = []
    // What cannot be read takes a place in the store's answer, not in ours.
    for (let end = after === undefined ? null : pagePositionOf(after); found.length < limit;) {
      const asked = limit - found.length
      const page = await jobPage(questions, end, asked)
      found.push(...page.flatMap(asJob))
      end = positionOf(page.at(-1))
      if (page.length < asked || end === null) break
    }
    return found
  }

  async countJobs(): Promise<JobCounts> {
    const counts = processStates.map(async (state): Promise<[ProcessState, number]> => {
      const [count = 0] = await this.query<number>('state.countJobs', {
        text: "SELECT VALUE COUNT(1) FROM c WHERE c.type = 'sas.job' AND c.processState = @state",
        parameters: { state },
      })
      return [state, count]
    })
    return Object.fromEntries(await Promise.all(counts)) as JobCounts
  }

  async findJob(jobId: string): Promise<Stored<StateDocument> | null> {
    const found = await this.query<Stored<StateDocument>>('state.findJob', {
      text: 'SELECT * FROM c WHERE c.id = @id',
      parameters: { id: jobDocumentId(jobId) },
    })
    return found.find((document) => decodeDocument(document).kind !== 'foreign') ?? null
  }

  async listSteps(partition: string, jobId: string): Promise<readonly Stored<StepDocument>[]> {
    const found = await this.query<Stored<StateDocument>>('state.listSteps', {
      text: "SELECT * FROM c WHERE c.type = 'sas.step' AND c.jobId = @jobId",
      parameters: { jobId },
      partition,
    })
    return found.flatMap(asStep)
  }

  async listNotices(partition: string, jobId: string): Promise<readonly Stored<NoticeDocument>[]> {
    const found = await this.query<Stored<StateDocument>>('state.listNotices', {
      text: "SELECT * FROM c WHERE c.type = 'sas.notify' AND c.jobId = @jobId AND IS_NUMBER(c.completeByMs)",
      parameters: { jobId },
      partition,
    })
    return found.flatMap(asNotice)
  }

  async listUndelivered(filter: NoticeFilter): Promise<readonly Stored<NoticeDocument>[]> {
    const { jobId, workflow, limit = defaultListLimit } = filter
    const conditions = ["c.type = 'sas.notify'", "c.attention.kind = 'notify'"]
    if (jobId !== undefined) conditions.push('c.jobId = @jobId')
    if (workflow !== undefined) conditions.push('c.workflow = @workflow')
    const found = await this.query<Stored<StateDocument>>('state.listUndelivered', {
      text: `SELECT TOP @limit * FROM c WHERE ${conditions.join(' AND ')}`,
      parameters: { limit, jobId, workflow },
    })
    return found.flatMap(asNotice)
  }

  listUnreadable(limit: number): Promise<readonly Stored<StateDocument>[]> {
    return this.query('state.listUnreadable', {
      text: "SELECT TOP @limit * FROM c WHERE c.type = 'sas.unreadable'",
      parameters: { limit },
    })
  }

  async listUnsent({ afterMs, beforeMs }: DueBetween, limit: number): Promise<readonly UnsentNotice[]> {
    const select = 'c.id, c.pk, c.jobId, c.completeByMs AS dueMs'
    const unsent = "c.type = 'sas.notify' AND c.completeByMs"
    const first = await this.query<UnsentNotice>('state.listUnsent', {
      text: `SELECT TOP @limit ${select} FROM c WHERE ${unsent} > @after AND c.completeByMs < @before ORDER BY c.completeByMs`,
      parameters: { limit, after: afterMs, before: beforeMs },
    })
    return wholeMoments(first, {
      limit,
      momentOf: ({ dueMs }) => dueMs,
      all: (moment) =>
        this.query('state.listUnsent', {
          text: `SELECT ${select} FROM c WHERE ${unsent} = @moment`,
          parameters: { moment },
        }),
    })
  }

  async listFlagged(afterSince: string | null, limit: number): Promise<readonly FlaggedJob[]> {
    const select = 'c.id, c.pk, c.jobId, c.attention.kind, c.attention.stepId, c.attention.since'
    const flagged = "c.type = 'sas.job' AND IS_DEFINED(c.attention.kind)"
    const after = afterSince === null ? '' : ' AND c.attention.since > @after'
    const first = await this.query<FlaggedJob>('state.listFlagged', {
      text: `SELECT TOP @limit ${select} FROM c WHERE ${flagged}${after} ORDER BY c.attention.since`,
      parameters: { limit, after: afterSince ?? undefined },
    })
    return wholeMoments(first, {
      limit,
      momentOf: ({ since }) => since,
      all: (moment) =>
        this.query('state.listFlagged', {
          text: `SELECT ${select} FROM c WHERE ${flagged} AND c.attention.since = @moment`,
          parameters: { moment },
        }),
    })
  }

  follow(partition: string): PartitionFeed {
    const operation = 'state.follow'
    const feed = new CosmosPartitionFeed(this.container, partition, (charge) =>
      this.charge(operation, charge),
    )
    return { readNext: () => this.asking(operation, () => feed.readNext()) }
  }

  private questionsOf(filter: JobFilter): JobQuestions {
    const { state, workflow, since, before, attention, step } = filter
    const times = { since: since?.getTime(), before: before?.getTime() }
    const given = { ...times, state, workflow, attention, step }
    const ask = (
      more: readonly string[],
      order: string,
      parameters: Readonly<Record<string, string | number | undefined>>,
    ): Promise<Stored<StateDocument>[]> =>
      this.query('state.listJobs', {
        text: `SELECT TOP @limit * FROM c WHERE ${[...conditionsOf(filter), ...more].join(' AND ')} ORDER BY ${order}`,
        parameters: { ...given, ...parameters },
      })
    return {
      newest: (olderThanMs, limit) =>
        ask(olderThanMs === null ? [] : ['c.submittedAtMs < @olderThan'], 'c.submittedAtMs DESC', {
          olderThan: olderThanMs ?? undefined,
          limit,
        }),
      within: (ms, afterId, limit) =>
        ask(['c.submittedAtMs = @ms', ...(afterId === null ? [] : ['c.id > @afterId'])], 'c.id', {
          ms,
          afterId: afterId ?? undefined,
          limit,
        }),
    }
  }

  /** A single write goes as a point operation: unlike a batch, its failure says what it was. */
  private async applyOne(partition: string, write: StateWrite): Promise<ApplyResult> {
    const { document } = write
    const operation = `state.${write.kind}`
    try {
      const answer =
        write.kind === 'create'
          ? await this.container.items.create(document)
          : await this.container.item(document.id, partition).replace(document, {
              accessCondition: { type: 'IfMatch', condition: write.ifMatch },
            })
      this.charge(operation, answer.requestCharge)
      const { requestCharge: charge, etag } = answer
      return { kind: 'applied', etags: [etag], physicalRangeId: rangeIdIn(answer.headers), charge }
    } catch (error) {
      const { kind } = cosmosErrorKind(error, 'write')
      if (kind === 'conflict') return { kind: 'conflict', id: document.id, reason: 'exists' }
      if (kind === 'preconditionFailed') return { kind: 'conflict', id: document.id, reason: 'changed' }
      if (kind === 'notFound' && write.kind === 'replace') {
        return { kind: 'conflict', id: document.id, reason: 'missing' }
      }
      if (kind === 'unknownOutcome') return { kind: 'unknownOutcome', cause: error }
      throw storeError(operation, error)
    }
  }

  private async query<T>(operation: string, query: Question): Promise<T[]> {
    const parameters = Object.entries(query.parameters).flatMap(([name, value]): SqlParameter[] =>
      value === undefined ? [] : [{ name: `@${name}`, value }],
    )
    const options = query.partition === undefined ? {} : { partitionKey: query.partition }
    return this.asking(operation, async () => {
      const iterator = this.container.items.query<T>({ query: query.text, parameters }, options)
      const { resources, requestCharge } = await iterator.fetchAll()
      this.charge(operation, requestCharge)
      return resources
    })
  }

  private async asking<T>(operation: string, request: () => Promise<T>): Promise<T> {
    try {
      return await request()
    } catch (error) {
      throw storeError(operation, error)
    }
  }

  private charge(operation: string, charge: number): void {
    this.options.onCharge?.(operation, charge)
  }
}
