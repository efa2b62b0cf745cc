import type { Telemetry } from '../telemetry/index.js'
import {
  decodeDocument,
  jobIdPrefix,
  schemaVersion,
  unreadableDocumentId,
  type Decoded,
  type JobDocument,
} from './documents.js'
import { JobUnreadable, StoreUnavailable } from './errors.js'
import {
  replacing,
  type ApplyResult,
  type DocumentAddress,
  type StateDocument,
  type StateStore,
  type Stored,
} from './state-store.js'

/** A job whose document is there and cannot be read: no instance does anything about it until it is repaired. */
export interface UnreadableJob {
  readonly jobId: string
  readonly partitionKey: string
  readonly documentId: string
  /** As far as the document says. */
  readonly workflow: string
  /** ISO-8601 UTC: when a scheduler found it so. */
  readonly since: string
  /** The field, what is wrong with it, and how it is repaired. */
  readonly reason: string
}

/** Records looked at in one go: more than an operator repairs by hand. */
const mostRecords = 1_000
/** Seconds until the record of a job that is readable again has vanished. */
const removalTtl = 60

/** Why this code cannot read a document of ours, and what makes it readable again; null where it can. */
function unreadableReason(decoded: Decoded): string | null {
  if (decoded.kind === 'newerSchema') {
    return `a newer version of stepward wrote it (schema ${decoded.schema}, this one knows ${schemaVersion}): use that version`
  }
  const advice = 'put that field right in the document itself, with Data Explorer or a client of your own'
  return decoded.kind === 'invalid' ? `${decoded.reason}; ${advice}` : null
}

/**
 * The job at this address, or null when there is none, for people: they are told why it cannot be read.
 *
 * @throws JobUnreadable when its document is there and cannot be read
 */
export async function readableJob(
  store: StateStore,
  address: DocumentAddress,
): Promise<Stored<JobDocument> | null> {
  const document = await store.read(address)
  if (document === null) return null
  const decoded = decodeDocument(document)
  if (decoded.kind === 'job') return { ...decoded.job, _etag: document._etag, _ts: document._ts }
  const reason = unreadableReason(decoded) ?? 'it is no job'
  throw new JobUnreadable(jobIdIn(document), document.id, reason)
}

/** Jobs that a scheduler could not read, as far as they still cannot be read, the longest ago first. */
export async function unreadableJobs(store: StateStore): Promise<readonly UnreadableJob[]> {
  const records = await store.listUnreadable(mostRecords)
  const found: UnreadableJob[] = []
  for (const record of records) {
    const job = await unreadableJob(store, flagIn(record))
    if (job !== null) found.push(job)
  }
  return found.sort((one, other) => (one.since < other.since ? -1 : 1))
}

/** That a job could not be read, as its record says: whether it still cannot be, its document says. */
export interface UnreadableFlag {
  readonly jobId: string
  readonly pk: string
  readonly documentId: string
  /** ISO-8601 UTC. */
  readonly since: string
}

/** Flags of jobs that a scheduler could not read, in any order. */
export async function unreadableFlags(store: StateStore): Promise<readonly UnreadableFlag[]> {
  return (await store.listUnreadable(mostRecords)).map(flagIn)
}

/** What a record of type `sas.unreadable` says. */
export function flagIn(record: Readonly<Record<string, unknown>>): UnreadableFlag {
  const { jobId, pk, documentId, since } = record
  return { jobId: String(jobId), pk: String(pk), documentId: String(documentId), since: String(since) }
}

/** The job of this flag as it is now; null when it can be read, or is gone. */
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

/** As the document says, or else as its id does. */
function jobIdIn({ id, jobId }: StateDocument): string {
  return typeof jobId === 'string' ? jobId : id.slice(jobIdPrefix.length)
}

/** What keeps records of unreadable jobs works with. */
export interface UnreadableJobsOptions {
  readonly store: StateStore
  readonly instanceName: string
  readonly telemetry: Telemetry
  readonly clock: { now(): number }
}

/**
 * Flags jobs whose document a scheduler cannot read, in a record beside the job: the document itself is left as it is for
 * whoever repairs it. A record is a hint; who shows it reads the document. Those that this instance wrote are removed
 * when it sees the job readable again.
 */
export class UnreadableJobs {
  private readonly flagged = new Set<string>()

  constructor(private readonly options: UnreadableJobsOptions) {}

  /**
   * Looks at a job that was not found by those who decide.
   *
   * @throws StoreUnavailable when it could not be flagged
   */
  async flag({ pk, id, jobId }: DocumentAddress & { readonly jobId: string }): Promise<void> {
    const { store, telemetry, clock, instanceName } = this.options
    const document = await store.read({ pk, id })
    const decoded = document === null ? null : decodeDocument(document)
    if (document === null || decoded?.kind !== 'invalid') {
      if (document === null) {
        telemetry.emit({ type: 'document.refused', id, reason: `its job ${jobId} does not exist` })
      }
      return
    }
    const record = {
      id: unreadableDocumentId(id),
      pk,
      type: 'sas.unreadable',
      schema: schemaVersion,
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

  /** As a new document, or in place of one that is vanishing: the job was readable for less than a minute. */
  private async record(record: StateDocument & { readonly ttl: number }): Promise<ApplyResult> {
    const { store } = this.options
    const create = () => store.apply(record.pk, [{ kind: 'create', document: record }])
    const created = await create()
    if (created.kind !== 'conflict') return created
    const there = await store.read(record)
    if (there === null) return create()
    return there['ttl'] === record.ttl ? created : store.apply(record.pk, [replacing(there, record)])
  }

  /** Removes the record of a job that can be read again. */
  async clear({ pk, id }: DocumentAddress): Promise<void> {
    if (!this.flagged.delete(`${pk}\n${id}`)) return
    const { store } = this.options
    const record = await store.read({ pk, id: unreadableDocumentId(id) })
    if (record !== null) await store.apply(pk, [replacing(record, { ...record, ttl: removalTtl })])
  }
}
