/**
 * Ascending places in a block or a chapter, each as the code of a character. Memory has millions of them, and a text
 * takes a byte for each, an array eight.
 */
export type Places = string

/** Returns places as a text. */
export function placesOf(numbers: Iterable<number>): Places {
  return String.fromCharCode(...numbers)
}

export function numbersIn(places: Places): readonly number[] {
  return Array.from({ length: places.length }, (_, at) => places.charCodeAt(at))
}

/** Returns all places of several lists, each once. */
export function unionOf(lists: readonly Places[]): readonly number[] {
  const [only] = lists
  if (only !== undefined && lists.length === 1) return numbersIn(only)
  return [...new Set(lists.flatMap(numbersIn))].sort((one, other) => one - other)
}
