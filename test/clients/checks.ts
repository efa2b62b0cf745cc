/** One row of the matrix: what every client is asked to do. */
export interface Check {
  readonly name: string
  readonly meaning: string
}

/** The rows of the matrix, in the order of the table. The program of each client reports every row. */
export const checks: readonly Check[] = [
  { name: 'connect', meaning: 'read the account; a wrong key is refused (401)' },
  {
    name: 'containers',
    meaning: 'databases and containers: create, read, list, query, replace, delete, 404, 409',
  },
  { name: 'items', meaning: 'create, read, replace, upsert and delete items; 404, 409' },
  { name: 'etags', meaning: 'conditional writes; 412 for an older etag' },
  { name: 'keys', meaning: 'keys of every JSON type, null and missing keys' },
  { name: 'unicode', meaning: 'ids, keys and texts in several scripts' },
  { name: 'big-documents', meaning: 'an item of almost 2 MB; 413 for a larger item' },
  { name: 'patch', meaning: 'every kind of patch operation, with a condition' },
  { name: 'batch', meaning: 'an atomic batch, and a batch that fails without effect' },
  { name: 'bulk', meaning: 'many items over three ranges in bulk' },
  { name: 'read-many', meaning: 'read many items at once by id and key' },
  { name: 'sessions', meaning: 'session tokens and request charges' },
  { name: 'filter', meaning: 'queries with a filter and parameters' },
  { name: 'order-by', meaning: 'ORDER BY over three ranges' },
  { name: 'top', meaning: 'TOP over three ranges' },
  { name: 'offset-limit', meaning: 'OFFSET LIMIT over three ranges' },
  { name: 'distinct', meaning: 'DISTINCT over three ranges' },
  { name: 'distinct-falsy', meaning: 'DISTINCT keeps 0 and false' },
  { name: 'group-by', meaning: 'GROUP BY over three ranges' },
  { name: 'aggregates', meaning: 'COUNT, SUM, AVG, MIN and MAX over three ranges' },
  { name: 'composed', meaning: 'these clauses together, over three ranges' },
  { name: 'join', meaning: 'JOIN with arrays, and subqueries' },
  { name: 'vector', meaning: 'the order of VectorDistance over three ranges' },
  { name: 'hybrid', meaning: 'ORDER BY RANK with full-text and vector scores over three ranges' },
  { name: 'paging', meaning: 'pages of a query, continued by a second client with the token' },
  { name: 'plan', meaning: 'a query whose filter fixes the key reads one range' },
  { name: 'change-feed', meaning: 'the feed from the beginning and from now, continued by its token' },
  { name: 'feed-ranges', meaning: 'the feed and queries by feed range and by key' },
  { name: 'all-versions', meaning: 'the feed of all versions and deletes' },
  { name: 'hierarchical-keys', meaning: 'keys of three levels, and their prefixes' },
  { name: 'throughput', meaning: 'read and replace manual and autoscale throughput' },
  { name: 'time-to-live', meaning: 'an item expires' },
  { name: 'unique-keys', meaning: 'a unique key refuses a second item (409)' },
  { name: 'delete-by-key', meaning: 'delete every item of a partition key' },
  { name: 'error-texts', meaning: 'the texts and codes of errors reach the caller' },
  { name: 'refusals', meaning: 'what is not supported is refused with 501 and its name' },
  { name: 'processor', meaning: '`handleChanges`: 5,000 items, two hosts, a split and a merge' },
  { name: 'processor-latest', meaning: '`handleLatestVersionChanges`, in the same way' },
  { name: 'processor-versions', meaning: '`handleAllVersionsAndDeletesChanges`, in the same way' },
  { name: 'estimator', meaning: 'the lag of a processor that accepts no more items, for each lease' },
]
