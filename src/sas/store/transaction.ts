import type { StateDocument, StateWrite } from './state-store.js'

/** Bounds of one transaction (cosmos-cost §2), the second with room for what the store adds to its 2 MB (I16). */
export const maxOperations = 100
export const maxTransactionBytes = 1_900_000

/** The size of a value as JSON. */
export function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

/** Whether a value is larger than this as JSON. Most are far from it, which shows without writing them out. */
export function exceeds(value: unknown, limitBytes: number): boolean {
  return mostBytesOf(value) > limitBytes && bytesOf(value) > limitBytes
}

/** At least the size of a value as JSON: as if every character needed its longest escape. */
function mostBytesOf(value: unknown): number {
  if (typeof value === 'string') return 6 * value.length + 2
  if (typeof value !== 'object' || value === null) return 25
  let bytes = 2
  for (const [name, own] of Object.entries(value)) bytes += 6 * name.length + 4 + mostBytesOf(own)
  return bytes
}

/** Whether one transaction takes all of these. */
export function fits(writes: readonly StateWrite[]): boolean {
  return writes.length <= maxOperations && !exceeds(writes, maxTransactionBytes)
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
