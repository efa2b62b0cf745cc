/** A check that is known to fail with one client. */
export interface Excuse {
  readonly client: string
  readonly check: string
  /** A part of the failure's text. Another failure of the same check is not excused. */
  readonly contains: string
  /** Why it fails, and whether the client or the embedded Cosmos DB is to change. */
  readonly reason: string
}

/** Failures that the matrix explains. A check that passes is taken off this list. */
export const excuses: readonly Excuse[] = [
  ...['javascript', 'javascript-newest'].map((client) => ({
    client,
    check: 'distinct-falsy',
    contains: 'SELECT DISTINCT VALUE',
    reason: 'the client drops 0, false and the empty string when it merges DISTINCT with a plan',
  })),
  {
    client: 'go',
    check: 'unicode',
    contains: '\\U0001f600',
    reason: 'the client writes keys with characters above U+FFFF as JSON that is not valid',
  },
  ...['vector', 'hybrid'].flatMap((check) =>
    ['javascript', 'javascript-newest', 'python', 'python-aio', 'java'].map((client) => ({
      client,
      check,
      contains: "'queries/articles' does not exist",
      reason: 'the embedded Cosmos DB refuses containers with policies for vectors and texts (501)',
    })),
  ),
]
