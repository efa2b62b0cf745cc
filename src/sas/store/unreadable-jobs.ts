import { compare } from '../../platform/internal.js'
import type { Telemetry } from '../../telemetry/index.js'
import { basicSchema, schemaVersion, type JobDocument } from '../model/documents.js'
import { jobIdPrefix, unreadableDocumentId } from '../model/document-ids.js'
import { decodeDocument, type Decoded } from '../model/decode.js'
import { JobUnreadable, StoreUnavailable } from '../model/errors.js'
import {
  replacing,
  type ApplyResult,
  type DocumentAddress,
  type StateDocument,
  type StateStore,
  type Stored,
} from './state-store.js'

/** A job whose document cannot be read. The job does not continue until the document is repaired. */
export interface UnreadableJob {
  readonly jobId: string
  readonly partitionKey: string
  readonly documentId: string
  /** The name of the workflow, or `?` if the document does not contain it. */
  readonly workflow: string
  /** The time when a scheduler first could not read the job, in ISO-8601 UTC. */
  readonly since: string
  /** The field, its problem, and the way to repair it. */
  readonly reason: string
}

/** The largest number of records in one query. An operator cannot repair more jobs by hand. */
const mostRecords = 1_000
/** The time, in seconds, until the store removes the record of a job that can be read again. */
const removalTtl = 60

/**
 * Returns the reason why a document is unreadable, with advice on the repair. Returns null if it is readable.
 */
function unreadableReason(decoded: Decoded): string | null {
  if (decoded.kind === 'newerSchema') {
    return (
      `a newer version of stepward wrote it (schema ${decoded.schema}; this version knows schemas up to ` +
      `${schemaVersion}), so use that version`
    )
  }
  const advice = 'correct that field in the document itself, with Data Explorer or a client of your own'
  return decoded.kind === 'invalid' ? `${decoded.reason}; ${advice}` : null
}

/**
 * Reads a job for people. Returns null if the job does not exist.
 *
 * @throws JobUnreadable with the reason, if the job's document exists but cannot be read
 */
export async function readableJob(
  store: Pick<StateStore, 'read'>,
  address: DocumentAddress,
): Promise<Stored<JobDocument> | null> {
  const document = await store.read(address)
  if (document === null) return null
  const decoded = decodeDocument(document)
  if (decoded.kind === 'job') return { ...decoded.job, _etag: document._etag, _ts: document._ts }
  const reason = unreadableReason(decoded) ?? 'it is not a job'
  throw new JobUnreadable(jobIdIn(document), document.id, reason)
}

/** Returns the jobs that schedulers could not read and that are still unreadable, oldest `since` first. */
export async function unreadableJobs(store: StateStore): Promise<readonly UnreadableJob[]> {
  const records = await store.listUnreadable(mostRecords)
  const found: UnreadableJob[] = []
  for (const record of records) {
    const job = await unreadableJob(store, flagIn(record))
    if (job !== null) found.push(job)
  }
  return found.sort((one, other) => compare(one.since, other.since))
}

/**
 * The record of a job that could not be read. Only the document shows whether the job still cannot be read.
 */
export interface UnreadableFlag {
  readonly jobId: string
  readonly pk: string
  readonly documentId: string
  /** The time when a scheduler first could not read the job, in ISO-8601 UTC. */
  readonly since: string
}

/** Returns the flags of jobs that a scheduler could not read, in any order. */
export async function unreadableFlags(store: StateStore): Promise<readonly UnreadableFlag[]> {
  return (await store.listUnreadable(mostRecords)).map(flagIn)
}

/** The record of an unreadable document, before it is checked. */
type FlagFields = Readonly<Partial<Record<keyof UnreadableFlag, unknown>>>

export function flagIn({ jobId, pk, documentId, since }: FlagFields): UnreadableFlag {
  return { jobId: String(jobId), pk: String(pk), documentId: String(documentId), since: String(since) }
}

/** Reads the job of this flag and returns the problem. Returns null if the job is readable or gone. */
export async function unreadableJob(
  store: StateStore,
  { pk, documentId, since }: UnreadableFlag,
): Promise<UnreadableJob | null> {
  const document = await store.read({ pk, id: documentId })
  const reason = document === null ? null : unreadableReason(decodeDocument(document))
  if (document === null || reason === null) return null
  const { workflow } = document
  return {
    jobId: jobIdIn(document),
    partitionKey: pk,
    documentId,
    workflow: typeof workflow === 'string' ? workflow : '?',
    since,
    reason,
  }
}

/** Returns the `jobId` in the document, or else the job id that is part of the document's `id`. */
function jobIdIn({ id, jobId }: StateDocument): string {
  return typeof jobId === 'string' ? jobId : id.slice(jobIdPrefix.length)
}

export interface UnreadableJobsOptions {
  readonly store: StateStore
  readonly instanceName: string
  readonly telemetry: Telemetry
  readonly clock: { now(): number }
}

/**
 * Flags a job that a scheduler cannot read, with a separate record. The document itself is not changed, so
 * that an operator can repair it. A record may be outdated, so readers check the document. An instance
 * removes its own records when it can read the job again.
 */
export class UnreadableJobs {
  private readonly flagged = new Set<string>()

  constructor(private readonly options: UnreadableJobsOptions) {}

  /**
   * Checks a job that the scheduler could not read, and flags the job if its document is invalid.
   *
   * @throws StoreUnavailable if the job could not be flagged
   */
  async flag({ pk, id, jobId }: DocumentAddress & { readonly jobId: string }): Promise<void> {
    const { store, telemetry, clock, instanceName } = this.options
    const document = await store.read({ pk, id })
    const decoded = document === null ? null : decodeDocument(document)
    if (document === null || decoded?.kind !== 'invalid') {
      if (document === null) {
        telemetry.emit({
          type: 'document.refused',
          id,
          reason: `the document of job ${jobId} does not exist`,
        })
      }
      return
    }
    const record = {
      id: unreadableDocumentId(id),
      pk,
      type: 'sas.unreadable',
      schema: basicSchema,
      jobId: jobIdIn(document),
      documentId: id,
      since: new Date(clock.now()).toISOString(),
      by: instanceName,
      ttl: -1,
    }
    const result = await this.record(record)
    if (result.kind === 'unknownOutcome') {
      throw new StoreUnavailable(`job document ${id} could not be flagged as unreadable`, result)
    }
    this.flagged.add(`${pk}\n${id}`)
    if (result.kind === 'conflict') return
    const { workflow } = document
    telemetry.emit({
      type: 'attention.raised',
      jobId: record.jobId,
      workflow: typeof workflow === 'string' ? workflow : '?',
      stepId: null,
      kind: 'unreadable',
      message: `document ${id} cannot be read: ${decoded.reason}`,
    })
  }

  /** Writes the record. Replaces a record of the last minute that is marked for removal but still exists. */
  private async record(record: StateDocument & { readonly ttl: number }): Promise<ApplyResult> {
    const { store } = this.options
    const create = () => store.apply(record.pk, [{ kind: 'create', document: record }])
    const created = await create()
    if (created.kind !== 'conflict') return created
    const there = await store.read(record)
    if (there === null) return create()
    return there['ttl'] === record.ttl ? created : store.apply(record.pk, [replacing(there, record)])
  }

  async clear({ pk, id }: DocumentAddress): Promise<void> {
    if (!this.flagged.delete(`${pk}\n${id}`)) return
    const { store } = this.options
    const record = await store.read({ pk, id: unreadableDocumentId(id) })
    if (record !== null) await store.apply(pk, [replacing(record, { ...record, ttl: removalTtl })])
  }
}
