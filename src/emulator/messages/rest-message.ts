/** A request as every door hands it to the routes. */
export interface RestRequest {
  /** Upper case. */
  readonly method: string
  /** Path and query as sent, still percent-encoded. */
  readonly path: string
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
  /** The address the client used, such as `http://127.0.0.1:8081`: what the account advertises. */
  readonly origin: string
  /** It comes from this process, which could as well use the engine: it need not be signed. */
  readonly isOwn?: boolean
}

/** A complete answer. An empty body means none. */
export interface RestResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What a route decides; the router adds what all answers have. */
export interface Answer {
  readonly status: number
  readonly body?: string
  readonly charge: number
  readonly headers?: Readonly<Record<string, string>>
}

/** Names of headers that both sides must spell alike. */
export const header = {
  activityId: 'x-ms-activity-id',
  changeFeedFormat: 'x-ms-cosmos-changefeed-wire-format-version',
  charge: 'x-ms-request-charge',
  containerRid: 'x-ms-cosmos-intended-collection-rid',
  contentPath: 'x-ms-content-path',
  altContentPath: 'x-ms-alt-content-path',
  continuation: 'x-ms-continuation',
  endEpk: 'x-ms-end-epk',
  isBatch: 'x-ms-cosmos-is-batch-request',
  isBatchAtomic: 'x-ms-cosmos-batch-atomic',
  isContinuedOnError: 'x-ms-cosmos-batch-continue-on-error',
  isQuery: 'x-ms-documentdb-isquery',
  isQueryOfGo: 'x-ms-documentdb-query',
  isQueryPlan: 'x-ms-cosmos-is-query-plan-request',
  isUpsert: 'x-ms-documentdb-is-upsert',
  itemCount: 'x-ms-item-count',
  itemLsn: 'x-ms-item-lsn',
  maxItemCount: 'x-ms-max-item-count',
  autopilotSettings: 'x-ms-cosmos-offer-autopilot-settings',
  offerThroughput: 'x-ms-offer-throughput',
  partitionKey: 'x-ms-documentdb-partitionkey',
  rangeId: 'x-ms-documentdb-partitionkeyrangeid',
  retryAfterMs: 'x-ms-retry-after-ms',
  sessionToken: 'x-ms-session-token',
  startEpk: 'x-ms-start-epk',
  substatus: 'x-ms-substatus',
} as const

/** Whether a header is present and "true", in upper or lower case. */
export function isSet({ headers }: RestRequest, name: string): boolean {
  return headers[name]?.toLowerCase() === 'true'
}

/** Whether the body is a query. Clients mark that by one of two headers, or only by the content type. */
export function isQuery(request: RestRequest): boolean {
  return (
    isSet(request, header.isQuery) ||
    isSet(request, header.isQueryOfGo) ||
    /^application\/query\+json\b/iu.test(request.headers['content-type'] ?? '')
  )
}
