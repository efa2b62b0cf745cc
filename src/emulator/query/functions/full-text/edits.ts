/**
 * Checks whether one word becomes another by inserting, removing or replacing at most `most` characters. The
 * time is linear in the length, because only positions that differ by at most that number are compared.
 */
export function isWithinEdits(word: string, other: string, most: number): boolean {
  if (word === other) return true
  if (Math.abs(word.length - other.length) > most) return false
  const tooMany = most + 1
  // The number of edits between a beginning of the word and each beginning of the other word that is about as
  // long.
  let row = Array.from({ length: 2 * most + 1 }, (_, offset) => (offset < most ? tooMany : offset - most))
  for (let at = 1; at <= word.length; at += 1) {
    const next: number[] = []
    for (let offset = 0; offset <= 2 * most; offset += 1) {
      const to = at + offset - most
      if (to < 0 || to > other.length) {
        next.push(tooMany)
        continue
      }
      const replaced =
        to === 0 ? tooMany : (row[offset] ?? tooMany) + (word[at - 1] === other[to - 1] ? 0 : 1)
      const removed = (row[offset + 1] ?? tooMany) + 1
      const inserted = to === 0 ? tooMany : (next[offset - 1] ?? tooMany) + 1
      next.push(Math.min(replaced, removed, inserted, tooMany))
    }
    if (next.every((edits) => edits >= tooMany)) return false
    row = next
  }
  return (row[other.length - word.length + most] ?? tooMany) <= most
}
