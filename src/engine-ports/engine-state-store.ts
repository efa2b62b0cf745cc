import type { Attention, NoticeDocument, StepDocument } from '../sas/model/documents.js'
import { refuseUnreadable } from '../sas/store/readable-writes.js'
import type {
  ApplyResult,
  DocumentAddress,
  DueBetween,
  FlaggedJob,
  OverdueBetween,
  OverdueDocument,
  StateDocument,
  StateStore,
  StateWrite,
  Stored,
  UnsentNotice,
} from '../sas/store/state-store.js'
import { asNotice, asStep } from '../sas/store/decoded-documents.js'
import { scan, type JsonObject } from '../emulator/engine/index.js'
import { EngineDocuments, type EngineStateStoreOptions } from './engine-documents.js'
import { dueAt, isFlag, refused, stored, toOperation, wholeMoments } from './state-documents.js'

/** The state store port directly on the engine: the same rules as over REST, without the REST. */
export class EngineStateStore implements StateStore {
  private readonly documents: EngineDocuments

  constructor(private readonly options: EngineStateStoreOptions) {
    this.documents = new EngineDocuments(options)
  }

  async read({ pk, id }: DocumentAddress): Promise<Stored<StateDocument> | null> {
    const version = this.documents.container().find([pk], id)
    await this.documents.settled()
    return version === undefined ? null : stored(version)
  }

  async apply(partition: string, writes: readonly StateWrite[]): Promise<ApplyResult> {
    refuseUnreadable(writes)
    const container = this.documents.container()
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

  async listSteps(partition: string, jobId: string): Promise<readonly Stored<StepDocument>[]> {
    const scope = this.documents.partition(partition)
    const found = this.documents.find(
      Infinity,
      (document) => document['type'] === 'sas.step' && document['jobId'] === jobId,
      scope,
    )
    await this.documents.settled()
    return found.flatMap((version) => asStep(stored(version)))
  }

  async listNotices(partition: string, jobId: string): Promise<readonly Stored<NoticeDocument>[]> {
    const scope = this.documents.partition(partition)
    const isUntold = (document: Readonly<JsonObject>): boolean =>
      document['type'] === 'sas.notify' &&
      document['jobId'] === jobId &&
      typeof document['completeByMs'] === 'number'
    const found = this.documents.find(Infinity, isUntold, scope)
    await this.documents.settled()
    return found.flatMap((version) => asNotice(stored(version)))
  }

  async listOverdue(
    { afterMs, beforeMs, pickUpWithinMs }: OverdueBetween,
    limit: number,
  ): Promise<readonly OverdueDocument[]> {
    const due: OverdueDocument[] = []
    for (const { document } of scan(this.documents.container(), { kind: 'container' })) {
      const dueMs = dueAt(document, pickUpWithinMs)
      if (dueMs > afterMs && dueMs < beforeMs)
        due.push({ id: String(document['id']), pk: String(document['pk']), dueMs })
    }
    await this.documents.settled()
    return wholeMoments(due, limit, (a, b) => a.dueMs - b.dueMs)
  }

  async listUnsent({ afterMs, beforeMs }: DueBetween, limit: number): Promise<readonly UnsentNotice[]> {
    const found = this.documents.find(Infinity, ({ type, completeByMs }) => {
      const isDue = typeof completeByMs === 'number' && completeByMs > afterMs && completeByMs < beforeMs
      return type === 'sas.notify' && isDue
    })
    await this.documents.settled()
    const unsent = found.map(({ document: { id, pk, jobId, completeByMs } }) => ({
      id: String(id),
      pk: String(pk),
      jobId: String(jobId),
      dueMs: Number(completeByMs),
    }))
    return wholeMoments(unsent, limit, (a, b) => a.dueMs - b.dueMs)
  }

  async listFlagged(afterSince: string | null, limit: number): Promise<readonly FlaggedJob[]> {
    const flagged = this.documents
      .find(Infinity, ({ type }) => type === 'sas.job')
      .flatMap(({ document: { id, pk, jobId, attention } }): FlaggedJob[] => {
        if (!isFlag(attention)) return []
        const { kind, stepId, since } = attention as unknown as Attention
        return [{ id: String(id), pk: String(pk), jobId: String(jobId), kind, stepId, since }]
      })
    await this.documents.settled()
    const later = flagged.filter(({ since }) => afterSince === null || since > afterSince)
    return wholeMoments(later, limit, (a, b) => (a.since < b.since ? -1 : Number(a.since > b.since)))
  }

  async listUnreadable(limit: number): Promise<readonly Stored<StateDocument>[]> {
    const found = this.documents.find(limit, ({ type }) => type === 'sas.unreadable')
    await this.documents.settled()
    return found.map(stored)
  }
}
