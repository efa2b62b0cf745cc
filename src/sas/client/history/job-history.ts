import type { Json } from '../../model/documents.js'

/** What changed in one document of a job in one transaction. */
export interface HistoryChange {
  /** The id of the document. */
  readonly document: string
  /** The step, or null for the document of the job. */
  readonly stepId: string | null
  readonly kind: 'created' | 'changed' | 'deleted'
  /** What changed, in plain words. */
  readonly what: readonly string[]
}

/** One transaction of a job, or one entry of the job's own record. */
export interface HistoryMoment {
  /** The name of the transaction, for {@link Job.historyAt}. Null for an entry of the record. */
  readonly moment: string | null
  /** ISO-8601 UTC. */
  readonly at: string
  /** The instance or the person, if the documents tell. */
  readonly by: string | null
  readonly changes: readonly HistoryChange[]
}

/** A page of the history of a job, oldest first. */
export interface JobHistory {
  /** `versions` if the store keeps all versions, `record` if only the job's own record was read. */
  readonly source: 'versions' | 'record'
  /** What is missing and how to get it, in one sentence, or null. */
  readonly note: string | null
  readonly moments: readonly HistoryMoment[]
  /** Pass it as `after` to read the next page. Null if nothing follows at present. */
  readonly next: string | null
  /** The request units of the reads of versions. */
  readonly charge: number
}

/** Options of {@link Job.history}. */
export interface HistoryOptions {
  /** The `next` of the page before. Default: the submission of the job. */
  readonly after?: string
  /** The least number of changed documents of a page, unless fewer are left. From 1 to 500, default 100. */
  readonly limit?: number
  /** Whether the secret values of the workflow are replaced by a fixed text. Default: false. */
  readonly hidesSecrets?: boolean
}

/** A document of a job before and after a transaction. */
export interface HistoryDocument extends HistoryChange {
  /** Null if the transaction created the document, or if the version before is not kept. */
  readonly before: object | null
  /** Null if the transaction deleted the document, or if this version of the code cannot read it. */
  readonly after: object | null
}

/** The documents that one transaction of a job wrote. */
export interface HistoryDocuments {
  readonly moment: string
  readonly at: string
  readonly by: string | null
  readonly documents: readonly HistoryDocument[]
  readonly charge: number
}

/** One attempt of a step, or of its undo. */
export interface StepAttempt {
  /** The number of the attempt within its generation. */
  readonly attempt: number
  readonly direction: 'do' | 'undo'
  readonly generation: number
  readonly round: number | null
  /** The time of the dispatch, ISO-8601 UTC. Null if it is not known. */
  readonly from: string | null
  /** The time at which it ended, or null if it has not ended. */
  readonly to: string | null
  readonly by: string | null
  /** `noAnswer` if its deadline passed. Null if it has not ended. */
  readonly outcome: 'success' | 'failed' | 'permanent' | 'noAnswer' | null
  /** Null if it is not known. */
  readonly input: Json
  readonly output: Json
  readonly error: string | null
}

/** The attempts of a step, oldest first. */
export interface StepAttempts {
  readonly source: 'versions' | 'record'
  /** What is missing and why, in one sentence, or null. */
  readonly note: string | null
  readonly attempts: readonly StepAttempt[]
  readonly charge: number
}
