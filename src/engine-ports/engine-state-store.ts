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
    const due: OverdueDocument[] = []
    for (const { document } of scan(this.options.container(), { kind: 'container' })) {
      const dueMs = dueAt(document, pickUpWithinMs)
      if (dueMs > afterMs && dueMs < beforeMs)
        due.push({ id: String(document['id']), pk: String(document['pk']), dueMs })
    }
    await this.settled()
    return wholeMoments(due, limit, (a, b) => a.dueMs - b.dueMs)
  }

  async listJobs(filter: JobFilter): Promise<readonly Stored<JobDocument>[]> {
    const { limit = defaultListLimit, after } = filter
    const end = after === undefined ? null : pagePositionOf(after)
    const found = this.find(Infinity, (document) => isMatch(document, filter))
      .flatMap((version) => asJob(stored(version)))
      .map((job) => ({ job, position: { ms: job.submittedAtMs, id: job.id } }))
      .filter(({ position }) => end === null || comparePositions(position, end) > 0)
      .sort((one, other) => comparePositions(one.position, other.position))
      .slice(0, limit)
    await this.settled()
    return found.map(({ job }) => job)
  }

  async countJobs(): Promise<JobCounts> {
    const counts = new Map<unknown, number>(processStates.map((state) => [state, 0]))
    for (const { document } of this.find(Infinity, ({ type }) => type === 'sas.job')) {
      const { processState } = document
      const count = counts.get(processState)
      if (count !== undefined) counts.set(processState, count + 1)
    }
    await this.settled()
    return Object.fromEntries(counts) as JobCounts
  }

  async findJob(jobId: string): Promise<Stored<StateDocument> | null> {
    const id = jobDocumentId(jobId)
    const found = this.find(1, (document) => document['id'] === id)
    await this.settled()
    return found.map(stored).find((document) => decodeDocument(document).kind !== 'foreign') ?? null
  }

  async listSteps(partition: string, jobId: string): Promise<readonly Stored<StepDocument>[]> {
    const scope: ScanScope = { kind: 'key', ...this.options.container().locate([partition]) }
    const found = this.find(
      Infinity,
      (document) => document['type'] === 'sas.step' && document['jobId'] === jobId,
      scope,
    )
    await this.settled()
    return found.flatMap((version) => asStep(stored(version)))
  }

  async listNotices(partition: string, jobId: string): Promise<readonly Stored<NoticeDocument>[]> {
    const scope: ScanScope = { kind: 'key', ...this.options.container().locate([partition]) }
    const isUntold = (document: Readonly<JsonObject>): boolean =>
      document['type'] === 'sas.notify' &&
      document['jobId'] === jobId &&
      typeof document['completeByMs'] === 'number'
    const found = this.find(Infinity, isUntold, scope)
    await this.settled()
    return found.flatMap((version) => asNotice(stored(version)))
  }

  async listUndelivered(filter: NoticeFilter): Promise<readonly Stored<NoticeDocument>[]> {
    const { jobId, workflow, limit = defaultListLimit } = filter
    const isGivenUp = (document: Readonly<JsonObject>): boolean =>
      document['type'] === 'sas.notify' &&
      isFlag(document['attention']) &&
      (jobId === undefined || document['jobId'] === jobId) &&
      (workflow === undefined || document['workflow'] === workflow)
    const found = this.find(limit, isGivenUp)
    await this.settled()
    return found.flatMap((version) => asNotice(stored(version)))
  }

  async listUnreadable(limit: number): Promise<readonly Stored<StateDocument>[]> {
    const found = this.find(limit, ({ type }) => type === 'sas.unreadable')
    await this.settled()
    return found.map(stored)
  }

  async listUnsent({ afterMs, beforeMs }: DueBetween, limit: number): Promise<readonly UnsentNotice[]> {
    const found = this.find(Infinity, ({ type, completeByMs }) => {
      const isDue = typeof completeByMs === 'number' && completeByMs > afterMs && completeByMs < beforeMs
      return type === 'sas.notify' && isDue
    })
    await this.settled()
    const unsent = found.map(({ document: { id, pk, jobId, completeByMs } }) => ({
      id: String(id),
      pk: String(pk),
      jobId: String(jobId),
      dueMs: Number(completeByMs),
    }))
    return wholeMoments(unsent, limit, (a, b) => a.dueMs - b.dueMs)
  }

  async listFlagged(afterSince: string | null, limit: number): Promise<readonly FlaggedJob[]> {
    const flagged = this.find(Infinity, ({ type }) => type === 'sas.job').flatMap(
      ({ document: { id, pk, jobId, attention } }): FlaggedJob[] => {
        if (!isFlag(attention)) return []
        const { kind, stepId, since } = attention as unknown as Attention
        return [{ id: String(id), pk: String(pk), jobId: String(jobId), kind, stepId, since }]
      },
    )
    await this.settled()
    const later = flagged.filter(({ since }) => afterSince === null || since > afterSince)
    return wholeMoments(later, limit, (a, b) => (a.since < b.since ? -1 : Number(a.since > b.since)))
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

  private find(
    limit: number,
    isWanted: (document: Readonly<JsonObject>) => boolean,
    scope: ScanScope = { kind: 'container' },
  ): readonly DocumentVersion[] {
    const found: DocumentVersion[] = []
    for (const version of scan(this.options.container(), scope)) {
      if (found.length >= limit) break
      if (isWanted(version.document)) found.push(version)
    }
    return found
  }
}
