/** The fields of a document by which a role decides, before the document is decoded, whether it reads it. */
export interface ChangeFields {
  readonly pk?: unknown
  readonly type?: unknown
  readonly jobId?: unknown
  readonly stepId?: unknown
  readonly dispatch?: unknown
  readonly fence?: unknown
  readonly lockedBy?: unknown
  readonly outcome?: unknown
  readonly completeByMs?: unknown
  readonly processState?: unknown
  readonly retainForMs?: unknown
  readonly ttl?: unknown
  readonly attention?: unknown
}

/** What the store adds to a version of a document. */
export interface VersionMarks {
  readonly _rid: string
  readonly _etag: string
  readonly _ts: number
  readonly _lsn: number
}

/** A change of the state container, as roles read it. `decodeDelivered` returns its document. */
export type StateChange = ChangeFields & Omit<VersionMarks, '_rid'> & { readonly id: string }
