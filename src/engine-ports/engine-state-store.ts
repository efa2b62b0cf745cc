import {
  processStates,
  type Attention,
  type JobDocument,
  type NoticeDocument,
  type StepDocument,
} from '../sas/model/documents.js'
import { jobDocumentId } from '../sas/model/document-ids.js'
import { decodeDocument } from '../sas/model/decode.js'
import { StoreUnavailable } from '../sas/model/errors.js'
import { comparePositions, pagePositionOf } from '../sas/store/job-pages.js'
import { refuseUnreadable } from '../sas/store/readable-writes.js'
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
} from '../sas/store/state-store.js'
import { asJob, asNotice, asStep } from '../sas/store/decoded-documents.js'
import type { JobFilter, NoticeFilter } from '../sas/store/job-filter.js'
import {
  type ChangeFeedStart,
  readChanges,
  scan,
  type Container,
  type DocumentVersion,
  type JsonObject,
  type ScanScope,
} from '../emulator/engine/index.js'
import { dueAt, isFlag, isMatch, refused, stored, toOperation, wholeMoments } from './state-documents.js'

/** Where jobs and steps live, and when what is shown of them may be shown. */
export interface EngineStateStoreOptions {
  readonly container: () => Container
  readonly settled: () => Promise<void> | null
}

/** Jobs asked for when a filter does not say. */
const defaultListLimit = 100

/** The state store port directly on the engine: the same rules as over REST, without the REST. */
export class EngineStateStore implements StateStore {
  constructor(private readonly options: EngineStateStoreOptions) {}

  async read({ pk, id }: DocumentAddress): Promise<Stored<StateDocument> | null> {
    const version = this.options.container().find([pk], id)
    await this.settled()
    return version === undefined ? null : stored(version)
  }

  async apply(partition: string, writes: readonly StateWrite[]): Promise<ApplyResult> {
    refuseUnreadable(writes)
    const container = this.options.container()
    const result = container.batch([partition], writes.map(toOperation))
    if (result.kind === 'rolledBack') {
      return refused(result.refusal, writes[result.failedAt]?.document.id ?? '')
    }
    try {
      await this.options.settled()
    } catch (cause) {
      return { kind: 'unknownOutcome', cause }
    }
    return {
      kind: 'applied',
      etags: result.results.map(({ version }) => version?.etag ?? ''),
      physicalRangeId: container.locate([partition]).partition.id,
      charge: result.charge,
    }
  }

  async listOverdue(
    { afterMs, beforeMs, pickUpWithinMs }: OverdueBetween,
    limit: number,
  ): Promise<readonly OverdueDocument[]> {
    const due = (document: Readonly<JsonObject>): number => dueAt(document, pickUpWithinMs)
    const found = await this.find((document) => due(document) > afterMs && due(document) < beforeMs)
    const overdue = found.map(({ document }) => ({ ...addressOf(document), dueMs: due(document) }))
    return wholeMoments(overdue, limit, (a, b) => a.dueMs - b.dueMs)
  }

  async listJobs(filter: JobFilter): Promise<readonly Stored<JobDocument>[]> {
    const { limit = defaultListLimit, after } = filter
    const end = after === undefined ? null : pagePositionOf(after)
    const found = await this.find((document) => isMatch(document, filter))
    return found
      .flatMap((version) => asJob(stored(version)))
      .map((job) => ({ job, position: { ms: job.submittedAtMs, id: job.id } }))
      .filter(({ position }) => end === null || comparePositions(position, end) > 0)
      .sort((one, other) => comparePositions(one.position, other.position))
      .slice(0, limit)
      .map(({ job }) => job)
  }

  async countJobs(): Promise<JobCounts> {
    const counts = new Map<unknown, number>(processStates.map((state) => [state, 0]))
    for (const { document } of await this.find(({ type }) => type === 'sas.job')) {
      const { processState } = document
      const count = counts.get(processState)
      if (count !== undefined) counts.set(processState, count + 1)
    }
    return Object.fromEntries(counts) as JobCounts
  }

  async findJob(jobId: string): Promise<Stored<StateDocument> | null> {
    const id = jobDocumentId(jobId)
    const found = await this.find((document) => document['id'] === id, { limit: 1 })
    return found.map(stored).find((document) => decodeDocument(document).kind !== 'foreign') ?? null
  }

  async listSteps(partition: string, jobId: string): Promise<readonly Stored<StepDocument>[]> {
    const found = await this.find(
      (document) => document['type'] === 'sas.step' && document['jobId'] === jobId,
      {
        partition,
      },
    )
    return found.flatMap((version) => asStep(stored(version)))
  }

  async listNotices(partition: string, jobId: string): Promise<readonly Stored<NoticeDocument>[]> {
    const isUntold = (document: Readonly<JsonObject>): boolean =>
      document['type'] === 'sas.notify' &&
      document['jobId'] === jobId &&
      typeof document['completeByMs'] === 'number'
    const found = await this.find(isUntold, { partition })
    return found.flatMap((version) => asNotice(stored(version)))
  }

  async listUndelivered(filter: NoticeFilter): Promise<readonly Stored<NoticeDocument>[]> {
    const { jobId, workflow, limit = defaultListLimit } = filter
    const isGivenUp = (document: Readonly<JsonObject>): boolean =>
      document['type'] === 'sas.notify' &&
      isFlag(document['attention']) &&
      (jobId === undefined || document['jobId'] === jobId) &&
      (workflow === undefined || document['workflow'] === workflow)
    const found = await this.find(isGivenUp, { limit })
    return found.flatMap((version) => asNotice(stored(version)))
  }

  async listUnreadable(limit: number): Promise<readonly Stored<StateDocument>[]> {
    return (await this.find(({ type }) => type === 'sas.unreadable', { limit })).map(stored)
  }

  async listUnsent({ afterMs, beforeMs }: DueBetween, limit: number): Promise<readonly UnsentNotice[]> {
    const found = await this.find(({ type, completeByMs }) => {
      const isDue = typeof completeByMs === 'number' && completeByMs > afterMs && completeByMs < beforeMs
      return type === 'sas.notify' && isDue
    })
    const unsent = found.map(({ document }) => ({
      ...addressOf(document),
      jobId: String(document['jobId']),
      dueMs: Number(document['completeByMs']),
    }))
    return wholeMoments(unsent, limit, (a, b) => a.dueMs - b.dueMs)
  }

  async listFlagged(afterSince: string | null, limit: number): Promise<readonly FlaggedJob[]> {
    const isLater = ({ type, attention }: Readonly<JsonObject>): boolean =>
      type === 'sas.job' &&
      isFlag(attention) &&
      (afterSince === null || String(attention['since']) > afterSince)
    const flagged = (await this.find(isLater)).map(({ document }) => {
      const { kind, stepId, since } = document['attention'] as Attention
      return { ...addressOf(document), jobId: String(document['jobId']), kind, stepId, since }
    })
    return wholeMoments(flagged, limit, (a, b) => (a.since < b.since ? -1 : Number(a.since > b.since)))
  }

  follow(partition: string): PartitionFeed {
    let start: ChangeFeedStart = { kind: 'beginning' }
    return {
      readNext: async () => {
        const container = this.options.container()
        const place = container.locate([partition])
        const { versions, lsn } = readChanges(container, place.partition, {
          ...place,
          start,
          maxItemCount: 100,
        })
        await this.settled()
        start = { kind: 'after', lsn }
        return versions.map(stored)
      },
    }
  }

  /** Nothing may be shown that the disk did not take. */
  private async settled(): Promise<void> {
    try {
      await this.options.settled()
    } catch (cause) {
      throw new StoreUnavailable('the embedded Cosmos DB cannot write its data directory', { cause })
    }
  }

  /** Returns the documents that are wanted, by default of any partition and without a limit. */
  private async find(
    isWanted: (document: Readonly<JsonObject>) => boolean,
    { partition, limit = Infinity }: { readonly partition?: string; readonly limit?: number } = {},
  ): Promise<readonly DocumentVersion[]> {
    const container = this.options.container()
    const scope: ScanScope =
      partition === undefined ? { kind: 'range' } : { kind: 'key', ...container.locate([partition]) }
    const found: DocumentVersion[] = []
    for (const version of scan(container, scope)) {
      if (found.length >= limit) break
      if (isWanted(version.document)) found.push(version)
    }
    await this.settled()
    return found
  }
}

function addressOf({ id, pk }: Readonly<JsonObject>): DocumentAddress {
  return { id: String(id), pk: String(pk) }
}
