/** Returns the longest text that a query may compute, of one character. */
export function longest(character: string): string {
  return character.repeat(4 * 1024 * 1024)
}
