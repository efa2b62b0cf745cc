/** A check that is known to fail with one client. */
export interface Excuse {
  readonly client: string
  readonly check: string
  /** Why it fails, and whether the client or the embedded Cosmos DB is to change. */
  readonly reason: string
}

/** Failures that the matrix explains. A check that passes is taken off this list. */
export const excuses: readonly Excuse[] = [
  ...['javascript', 'javascript-newest'].map((client) => ({
    client,
    check: 'distinct-falsy',
    reason: 'the client drops 0, false and the empty string when it merges DISTINCT with a plan',
  })),
  ...['vector', 'hybrid'].flatMap((check) =>
    ['javascript', 'javascript-newest', 'python', 'python-aio', 'java'].map((client) => ({
      client,
      check,
      reason: 'the embedded Cosmos DB refuses containers with policies for vectors and texts (501)',
    })),
  ),
]
