/** A request to the routes, in the form that all doors use. */
export interface RestRequest {
  /** The method in upper case. */
  readonly method: string
  /** The path and the query as they were sent, still percent-encoded. */
  readonly path: string
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
  /** The address that the client used, such as `http://127.0.0.1:8081`. The account document names it. */
  readonly origin: string
  /** Whether this process sent the request. Such a request need not be signed. */
  readonly isOwn?: boolean
}

/** A complete answer. An empty `body` means that the answer has no body. */
export interface RestResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The result of a route. The router adds the headers that all answers have. */
export interface Answer {
  readonly status: number
  readonly body?: string
  readonly charge: number
  readonly headers?: Readonly<Record<string, string>>
}

export const header = {
  activityId: 'x-ms-activity-id',
  changeFeedFormat: 'x-ms-cosmos-changefeed-wire-format-version',
  charge: 'x-ms-request-charge',
  containerRid: 'x-ms-cosmos-intended-collection-rid',
  contentPath: 'x-ms-content-path',
  altContentPath: 'x-ms-alt-content-path',
  continuation: 'x-ms-continuation',
  enableCrossPartition: 'x-ms-documentdb-query-enablecrosspartition',
  enableScan: 'x-ms-documentdb-query-enable-scan',
  expirySeconds: 'x-ms-documentdb-expiry-seconds',
  endEpk: 'x-ms-end-epk',
  etag: 'etag',
  /**
   * Marks requests of the data explorer. Faults do not affect them, and a query over several ranges gets one
   * merged answer.
   */
  explorer: 'x-stepward-explorer',
  indexUtilization: 'x-ms-cosmos-index-utilization',
  isBatch: 'x-ms-cosmos-is-batch-request',
  isBatchAtomic: 'x-ms-cosmos-batch-atomic',
  isContinuedOnError: 'x-ms-cosmos-batch-continue-on-error',
  isQuery: 'x-ms-documentdb-isquery',
  isQueryOfGo: 'x-ms-documentdb-query',
  isQueryPlan: 'x-ms-cosmos-is-query-plan-request',
  supportedQueryFeatures: 'x-ms-cosmos-supported-query-features',
  isUpsert: 'x-ms-documentdb-is-upsert',
  itemCount: 'x-ms-item-count',
  itemLsn: 'x-ms-item-lsn',
  maxItemCount: 'x-ms-max-item-count',
  autopilotSettings: 'x-ms-cosmos-offer-autopilot-settings',
  offerThroughput: 'x-ms-offer-throughput',
  parallelizeCrossPartition: 'x-ms-documentdb-query-parallelizecrosspartitionquery',
  populateQueryMetrics: 'x-ms-documentdb-populatequerymetrics',
  populateQuotaInfo: 'x-ms-documentdb-populatequotainfo',
  indexProgress: 'x-ms-documentdb-collection-index-transformation-progress',
  lazyIndexProgress: 'x-ms-documentdb-collection-lazy-indexing-progress',
  lsn: 'lsn',
  queryMetrics: 'x-ms-documentdb-query-metrics',
  resourceQuota: 'x-ms-resource-quota',
  resourceUsage: 'x-ms-resource-usage',
  partitionKey: 'x-ms-documentdb-partitionkey',
  populateIndexMetrics: 'x-ms-cosmos-populateindexmetrics',
  populateIndexMetricsV2: 'x-ms-cosmos-populateindexmetrics-v2',
  rangeId: 'x-ms-documentdb-partitionkeyrangeid',
  retryAfterMs: 'x-ms-retry-after-ms',
  sessionToken: 'x-ms-session-token',
  startEpk: 'x-ms-start-epk',
  substatus: 'x-ms-substatus',
  version: 'x-ms-version',
} as const

/**
 * Splits a path into its parts. Drops empty parts, which clients produce when they join endpoint and path.
 */
export function pathSegments(path: string): readonly string[] {
  return (path.split('?')[0] ?? '').split('/').filter((segment) => segment !== '')
}

/** Decodes a percent-encoded text. If the text is not encoded properly, returns it unchanged. */
export function decodedOrRaw(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Checks whether a header is "true", in upper or lower case. */
export function isSet({ headers }: RestRequest, name: string): boolean {
  return headers[name]?.toLowerCase() === 'true'
}

/** Checks whether the body is a query, according to one of two headers or the content type. */
export function isQuery(request: RestRequest): boolean {
  return (
    isSet(request, header.isQuery) ||
    isSet(request, header.isQueryOfGo) ||
    /^application\/query\+json\b/iu.test(request.headers['content-type'] ?? '')
  )
}

/** Checks whether a request gets the plan of a query. On other requests, the plan header has no effect. */
export function asksForPlan(request: RestRequest, segments: readonly string[]): boolean {
  const isForDocuments = request.method === 'POST' && segments.length === 5
  return isForDocuments && isSet(request, header.isQueryPlan) && !isSet(request, header.isBatch)
}
