import type { Attention, NoticeDocument, StepDocument } from '../sas/model/documents.js'
import { refuseUnreadable } from '../sas/store/readable-writes.js'
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
} from '../sas/store/state-store.js'
import { asNotice, asStep } from '../sas/store/decoded-documents.js'
import { lookupCharge, readCharge, type JsonObject, type OperationResult } from '../emulator/engine/index.js'
import { addressOf, EngineDocuments, type EngineStateStoreOptions } from './engine-documents.js'
import { dueAt, isConcerned, isFlag, refused, stored, toOperation, wholeMoments } from './state-documents.js'

/** Implements the state store port directly on the engine, with the same rules as the store over REST. */
export class EngineStateStore implements StateStore {
  private readonly documents: EngineDocuments

  constructor(private readonly options: EngineStateStoreOptions) {
    this.documents = new EngineDocuments(options)
  }

  async read(address: DocumentAddress): Promise<Stored<StateDocument> | null> {
    const text = await this.readText(address)
    return text === null ? null : (JSON.parse(text) as Stored<StateDocument>)
  }

  readMany(addresses: readonly DocumentAddress[]): Promise<readonly (Stored<StateDocument> | null)[]> {
    return Promise.all(addresses.map((address) => this.read(address)))
  }

  /** Returns the JSON text of a document, or null. */
  async readText({ pk, id }: DocumentAddress): Promise<string | null> {
    const version = this.documents.container().find([pk], id)
    this.options.onCharge('state.read', version === undefined ? lookupCharge : readCharge(version.bytes))
    await this.documents.settled()
    return version?.text ?? null
  }

  async apply(partition: string, writes: readonly StateWrite[]): Promise<ApplyResult> {
    refuseUnreadable(writes)
    return this.applyReadable(partition, writes)
  }

  /** Applies writes whose documents have been checked with `refuseUnreadable`. */
  async applyReadable(partition: string, writes: readonly StateWrite[]): Promise<ApplyResult> {
    const container = this.documents.container()
    const operations = writes.map(toOperation)
    const result = this.options.writing(() => container.batch([partition], operations))
    const [only, ...others] = writes
    const operation = only === undefined || others.length > 0 ? 'batch' : only.kind
    this.options.onCharge(`state.${operation}`, result.charge)
    if (result.kind === 'rolledBack') {
      return refused(result.refusal, writes[result.failedAt]?.document.id ?? '')
    }
    this.keep(writes, result.results)
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

  private keep(writes: readonly StateWrite[], results: readonly OperationResult[]): void {
    const { written } = this.options
    if (written === undefined) return
    for (const [index, { version }] of results.entries()) {
      const document = writes[index]?.document
      if (version !== null && document !== undefined) written.put(version, document)
    }
  }

  async listSteps(partition: string, jobId: string): Promise<readonly Stored<StepDocument>[]> {
    const isOfJob = (document: Readonly<JsonObject>): boolean =>
      document['type'] === 'sas.step' && document['jobId'] === jobId
    const found = await this.documents.listed('state.listSteps', partition, isOfJob)
    return found.flatMap((version) => asStep(stored(version)))
  }

  async listNotices(partition: string, jobId: string): Promise<readonly Stored<NoticeDocument>[]> {
    const isUnsent = (document: Readonly<JsonObject>): boolean =>
      document['type'] === 'sas.notify' &&
      document['jobId'] === jobId &&
      typeof document['completeByMs'] === 'number'
    const found = await this.documents.listed('state.listNotices', partition, isUnsent)
    return found.flatMap((version) => asNotice(stored(version)))
  }

  async listOverdue(
    { afterMs, beforeMs, pickUpWithinMs }: OverdueBetween,
    limit: number,
  ): Promise<readonly OverdueDocument[]> {
    const due = (document: Readonly<JsonObject>): number => dueAt(document, pickUpWithinMs)
    const found = await this.documents.swept('state.listOverdue', (document) => {
      return due(document) > afterMs && due(document) < beforeMs
    })
    const overdue = found.map(({ facts }) => ({ ...addressOf(facts), dueMs: due(facts) }))
    return wholeMoments(overdue, limit, (a, b) => a.dueMs - b.dueMs)
  }

  async listUnsent({ afterMs, beforeMs }: DueBetween, limit: number): Promise<readonly UnsentNotice[]> {
    const found = await this.documents.swept('state.listUnsent', ({ type, completeByMs }) => {
      const isDue = typeof completeByMs === 'number' && completeByMs > afterMs && completeByMs < beforeMs
      return type === 'sas.notify' && isDue
    })
    const unsent = found.map(({ facts }) => ({
      ...addressOf(facts),
      jobId: String(facts['jobId']),
      dueMs: Number(facts['completeByMs']),
    }))
    return wholeMoments(unsent, limit, (a, b) => a.dueMs - b.dueMs)
  }

  async listFlagged(afterSince: string | null, limit: number): Promise<readonly FlaggedJob[]> {
    const isLater = ({ type, attention }: Readonly<JsonObject>): boolean =>
      type === 'sas.job' &&
      isFlag(attention) &&
      (afterSince === null || String(attention['since']) > afterSince)
    const flagged = (await this.documents.swept('state.listFlagged', isLater)).map(({ facts }) => {
      const { kind, stepId, since } = facts['attention'] as Attention
      return { ...addressOf(facts), jobId: String(facts['jobId']), kind, stepId, since }
    })
    return wholeMoments(flagged, limit, (a, b) => (a.since < b.since ? -1 : Number(a.since > b.since)))
  }

  async listConcerned(question: PauseQuestion): Promise<readonly ConcernedJob[]> {
    const found = await this.documents.find((document) => isConcerned(document, question))
    return found.map(({ document }) => ({ ...addressOf(document), jobId: String(document['jobId']) }))
  }

  async listUnreadable(limit: number): Promise<readonly Stored<StateDocument>[]> {
    const isUnreadable = ({ type }: Readonly<JsonObject>): boolean => type === 'sas.unreadable'
    const found = await this.documents.swept('state.listUnreadable', isUnreadable)
    return this.documents.read(found.slice(0, limit)).map(stored)
  }
}
