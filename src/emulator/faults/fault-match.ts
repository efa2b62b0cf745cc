import type { RestRequest } from '../messages/rest-message.js'

/** The operations that faults distinguish. `other` is every operation without a name of its own. */
export const faultOperations = [
  'create',
  'upsert',
  'read',
  'replace',
  'delete',
  'patch',
  'batch',
  'bulk',
  'query',
  'queryPlan',
  'readFeed',
  'changeFeed',
  'pkranges',
  'container',
  'database',
  'offer',
  'account',
  'other',
] as const

export type FaultOperation = (typeof faultOperations)[number]

/** Properties that a request must have. All given properties must match. */
export interface FaultMatch {
  readonly operation?: FaultOperation | readonly FaultOperation[]
  readonly container?: string
  /** The id of a document. A batch matches if one of its operations names the document. */
  readonly id?: string
  /** The value of a partition key, or all values of a hierarchical key. `{}` represents a missing value. */
  readonly partitionKey?: unknown
}

/** The properties of a request that a predicate receives. */
export interface RequestMatched {
  readonly operation: FaultOperation
  readonly database?: string
  readonly container?: string
  /** The ids of all documents that the request names. */
  readonly ids: readonly string[]
  /** The partition key as clients send it: an array of values. */
  readonly partitionKey?: readonly unknown[]
  readonly request: RestRequest
}

export function fits(match: FaultMatch, request: RequestMatched): boolean {
  const { operation, container, id, partitionKey } = match
  if (operation !== undefined && ![operation].flat().includes(request.operation)) return false
  if (container !== undefined && container !== request.container) return false
  if (id !== undefined && !request.ids.includes(id)) return false
  if (partitionKey === undefined) return true
  return JSON.stringify([partitionKey].flat()) === JSON.stringify(request.partitionKey)
}
