/** A check that is known to fail with one client. */
export interface Excuse {
  readonly client: string
  readonly check: string
  /** A part of the failure's text. Another failure of the same check is not excused. */
  readonly contains: string
  /** Why it fails. The reason shows whether the client or the embedded Cosmos DB has to change. */
  readonly reason: string
}

/** Failures that the matrix explains. Remove a check from this list when it passes. */
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
  ...[
    { client: 'javascript', contains: 'componentScores must exist' },
    { client: 'javascript-newest', contains: 'componentScores must exist' },
    { client: 'java', contains: '"document" is null' },
  ].map((excuse) => ({
    ...excuse,
    check: 'hybrid-value',
    reason: 'the client takes only rows that are objects when it ranks, as `SELECT c.id` gives them',
  })),
]
