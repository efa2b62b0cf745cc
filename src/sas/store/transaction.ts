import type { StateDocument, StateWrite } from './state-store.js'

/**
 * The limits of one transaction. The size is below the store's limit of 2 MB, because the store adds data
 * (I16).
 */
export const maxOperations = 100
export const maxTransactionBytes = 1_900_000

export function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

/** Checks whether a value, written as JSON, exceeds `limitBytes`. An estimate is usually enough. */
export function exceeds(value: unknown, limitBytes: number): boolean {
  return mostBytesOf(value) > limitBytes && bytesOf(value) > limitBytes
}

/** Checks, without writing JSON, whether values certainly do not exceed `limitBytes`. False may be wrong. */
export function surelyFits(values: readonly unknown[], limitBytes: number): boolean {
  return mostBytesOf(values) <= limitBytes
}

/**
 * Returns an upper bound of a value's size as JSON, as if every character needed its longest escape. `for in` makes
 * no list of the names, and these values inherit none.
 */
function mostBytesOf(value: unknown): number {
  if (typeof value === 'string') return 6 * value.length + 2
  if (typeof value !== 'object' || value === null) return 25
  let bytes = 2
  if (Array.isArray(value)) {
    for (const item of value) bytes += 2 + mostBytesOf(item)
    return bytes
  }
  for (const name in value) {
    bytes += 6 * name.length + 4 + mostBytesOf((value as Readonly<Record<string, unknown>>)[name])
  }
  return bytes
}

export function fits(writes: readonly StateWrite[]): boolean {
  return writes.length <= maxOperations && !exceeds(writes, maxTransactionBytes)
}

/** Splits the writes into groups. Each group fits into one transaction together with a write of `beside`. */
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
