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

/** Checks whether a value, written as JSON, exceeds `limitBytes`. Estimates are usually enough. */
export function exceeds(value: unknown, limitBytes: number): boolean {
  if (mostBytesOf(value) <= limitBytes) return false
  return mostBytesOf(value, closeBytesOfText) > limitBytes && bytesOf(value) > limitBytes
}

/** Checks, without writing JSON, whether values certainly do not exceed `limitBytes`. False may be wrong. */
export function surelyFits(values: readonly unknown[], limitBytes: number): boolean {
  return mostBytesOf(values) <= limitBytes
}

/** Texts up to this length are searched for characters that take more than one byte. */
const searchedLength = 256
/** Matches a character that takes more than one byte in JSON. */
const longCharacter = /[^\x20\x21\x23-\x5b\x5d-\x7e]/

/** Returns the size of a text as JSON, as if every character needed its longest escape. */
function mostBytesOfText(text: string): number {
  return 6 * text.length + 2
}

/** Does the same for long and unusual texts. Returns the size of others. */
function closeBytesOfText(text: string): number {
  const isPlain = text.length <= searchedLength && !longCharacter.test(text)
  return isPlain ? text.length + 2 : mostBytesOfText(text)
}

/**
 * Returns an upper bound of a value's size as JSON. `for in` makes no list of the names, and these values inherit none.
 *
 * @param ofText the bound of a text
 */
function mostBytesOf(value: unknown, ofText = mostBytesOfText): number {
  if (typeof value === 'string') return ofText(value)
  if (typeof value !== 'object' || value === null) return 25
  let bytes = 2
  if (Array.isArray(value)) {
    for (const item of value) bytes += 2 + mostBytesOf(item, ofText)
    return bytes
  }
  for (const name in value) {
    bytes += ofText(name) + 2 + mostBytesOf((value as Readonly<Record<string, unknown>>)[name], ofText)
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
