/**
 * A position that is not stored yet, the time by which it must be stored, and the number of changes since the last
 * stored position.
 */
export interface PendingCheckpoint {
  readonly token: string
  readonly dueAtMs: number
  readonly changes: number
}

/**
 * The number of changes after which a checkpoint is due early. If the owner dies, the next owner reads again what was
 * not stored, which takes longer than the interrupted work if there were many changes. With fewer changes, a checkpoint costs
 * more than such a repetition.
 */
export const manyChanges = 2_000

/** An early checkpoint is due this share of the interval after the last write of the lease. */
const earlyShare = 0.1

/** The times that decide when a checkpoint is due. */
export interface CheckpointTimes {
  readonly nowMs: number
  /** The time of the last write of the lease. */
  readonly writtenAtMs: number
  readonly intervalMs: number
}

/** Returns the pending checkpoint after `newChanges` more changes were handled, up to `token`. */
export function handledTo(
  token: string,
  newChanges: number,
  before: PendingCheckpoint | null,
  { nowMs, writtenAtMs, intervalMs }: CheckpointTimes,
): PendingCheckpoint {
  const changes = (before?.changes ?? 0) + newChanges
  const earlyAtMs = changes < manyChanges ? Infinity : writtenAtMs + intervalMs * earlyShare
  return { token, dueAtMs: Math.min(before?.dueAtMs ?? Infinity, nowMs + intervalMs, earlyAtMs), changes }
}

/** Returns the pending checkpoint after nothing new was found up to `token`. No write is made for it alone. */
export function seenTo(token: string, before: PendingCheckpoint | null): PendingCheckpoint {
  return { dueAtMs: Infinity, changes: 0, ...before, token }
}
