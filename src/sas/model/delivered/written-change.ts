import type { ChangeFields, StateChange, VersionMarks } from './state-change.js'

type Fields = Readonly<Record<string, unknown>>

/** A job or a step as it is written. */
export type WrittenDocument = Fields & { readonly id: string; readonly pk: string }

/**
 * A change of a job or a step that this process itself has written. The process still has the document, so the feed does
 * not deliver its text, and nothing is parsed. Apart from `document`, it has only the fields of `StateChange`.
 */
export class WrittenChange implements StateChange, Required<ChangeFields> {
  readonly [field: string]: unknown
  readonly _rid: string
  readonly _etag: string
  readonly _ts: number
  readonly _lsn: number

  constructor(
    readonly document: WrittenDocument,
    { _rid, _etag, _ts, _lsn }: VersionMarks,
  ) {
    this._rid = _rid
    this._etag = _etag
    this._ts = _ts
    this._lsn = _lsn
  }

  get id(): string {
    return this.document.id
  }

  get pk(): string {
    return this.document.pk
  }

  get type(): unknown {
    return this.document['type']
  }

  get jobId(): unknown {
    return this.document['jobId']
  }

  get stepId(): unknown {
    return this.document['stepId']
  }

  get dispatch(): unknown {
    return this.document['dispatch']
  }

  get fence(): unknown {
    return this.document['fence']
  }

  get lockedBy(): unknown {
    return this.document['lockedBy']
  }

  get outcome(): unknown {
    return this.document['outcome']
  }

  get completeByMs(): unknown {
    return this.document['completeByMs']
  }

  get processState(): unknown {
    return this.document['processState']
  }

  get retainForMs(): unknown {
    return this.document['retainForMs']
  }

  get ttl(): unknown {
    return this.document['ttl']
  }

  get attention(): unknown {
    return this.document['attention']
  }
}

/**
 * Checks whether changes of a document may be delivered as a {@link WrittenChange}: it is a job or a step, and it has no
 * fields of the store. A step that a restart copies has those of the earlier step.
 */
export function mayBeNamed(document: Fields): boolean {
  const { type } = document
  return (type === 'sas.job' || type === 'sas.step') && !('_etag' in document)
}
