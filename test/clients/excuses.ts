/** A check that is known to fail with one client. */
export interface Excuse {
  readonly client: string
  readonly check: string
  /** Why it fails, and whether the client or the embedded Cosmos DB is to change. */
  readonly reason: string
}

/** Failures that the matrix explains. A check that passes is taken off this list. */
export const excuses: readonly Excuse[] = []
