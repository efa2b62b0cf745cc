import type { StateDocument, StateWrite } from './state-store.js'

/** Bounds of one transaction (cosmos-cost §2), the second with room for what the store adds to its 2 MB (I16). */
export const maxOperations = 100
export const maxTransactionBytes = 1_900_000

/** The size of a value as JSON. */
export function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

/** Whether one transaction takes all of these. */
export function fits(writes: readonly StateWrite[]): boolean {
  return writes.length <= maxOperations && bytesOf(writes) <= maxTransactionBytes
}

/** These writes in groups, each of which fits one transaction beside a write of `beside`; one at least in each. */
export function grouped(
  writes: readonly StateWrite[],
  beside: StateDocument,
): readonly (readonly StateWrite[])[] {
  const roomBytes = maxTransactionBytes - bytesOf(beside)
  const groups: StateWrite[][] = []
  let leftBytes = 0
  for (const write of writes) {
    const bytes = bytesOf(write)
    const group = groups.at(-1)
    if (group === undefined || group.length === maxOperations - 1 || bytes > leftBytes) {
      groups.push([write])
      leftBytes = roomBytes - bytes
    } else {
      group.push(write)
      leftBytes -= bytes
    }
  }
  return groups
}
