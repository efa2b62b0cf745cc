import type { DocumentVersion } from './document-version.js'
import type { JsonObject } from './json.js'
import type { Patch } from './patch.js'
import type { Refusal } from './refusal.js'

/** Conditions on the stored document. Each condition is an etag, or `*` for any etag. */
export interface WriteConditions {
  readonly ifMatch?: string | undefined
  readonly ifNoneMatch?: string | undefined
}

/** An operation on one document. After the call, the caller must not change the objects that it passed. */
export type ItemOperation = WriteConditions &
  (
    | { readonly kind: 'create'; readonly document: JsonObject }
    | { readonly kind: 'upsert'; readonly document: JsonObject }
    | { readonly kind: 'read'; readonly id: string }
    | { readonly kind: 'replace'; readonly id: string; readonly document: JsonObject }
    | { readonly kind: 'delete'; readonly id: string }
    | { readonly kind: 'patch'; readonly id: string; readonly patch: Patch }
  )

/** The result of a successful operation. */
export interface OperationResult {
  /** 200 means read or changed, 201 created, 204 deleted, and 304 not modified. */
  readonly status: 200 | 201 | 204 | 304
  /** The stored version, or null after a delete. */
  readonly version: DocumentVersion | null
  readonly charge: number
}

/** The result of a batch. Either all of its operations were applied, or none. */
export type BatchResult =
  | {
      readonly kind: 'committed'
      readonly results: readonly OperationResult[]
      readonly charge: number
    }
  | {
      readonly kind: 'rolledBack'
      /** The index of the operation that failed. */
      readonly failedAt: number
      readonly refusal: Refusal
      readonly charge: number
    }
