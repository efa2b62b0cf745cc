/**
 * Up to this length, the JavaScript engine's search is always fast. For longer patterns, its time may be
 * quadratic.
 */
const shortPattern = 64

/** Searches like `String.indexOf`, in time linear in both lengths (Knuth, Morris, Pratt). */
export function indexOf(text: string, wanted: string, from = 0): number {
  if (wanted.length <= shortPattern) return text.indexOf(wanted, from)
  return searcher(wanted)(text, from)
}

/** Prepares a search once for use on many texts. */
export function searcher(wanted: string): (text: string, from: number) => number {
  if (wanted.length <= shortPattern) return (text, from) => text.indexOf(wanted, from)
  const borders = bordersOf(wanted)
  return (text, from) => {
    let matched = 0
    for (let at = from; at < text.length; at += 1) {
      matched = advanced(matched, text.charCodeAt(at), wanted, borders)
      if (matched === wanted.length) return at - matched + 1
    }
    return -1
  }
}

/**
 * Searches backwards from `last` like `String.lastIndexOf`, in time linear in both lengths. Returns -1 if
 * `last` is negative.
 */
export function lastIndexOf(text: string, wanted: string, last = text.length): number {
  if (last < 0) return -1
  if (wanted.length <= shortPattern) return text.lastIndexOf(wanted, last)
  const borders = bordersOf(wanted)
  const end = Math.min(text.length, last + wanted.length)
  let matched = 0
  let found = -1
  for (let at = 0; at < end; at += 1) {
    if (matched === wanted.length) matched = borders[matched - 1] ?? 0
    matched = advanced(matched, text.charCodeAt(at), wanted, borders)
    if (matched === wanted.length) found = at - matched + 1
  }
  return found
}

/** Returns how much of the wanted text is matched after one more character. */
function advanced(matched: number, code: number, wanted: string, borders: Uint32Array): number {
  let length = matched
  while (length > 0 && code !== wanted.charCodeAt(length)) length = borders[length - 1] ?? 0
  return code === wanted.charCodeAt(length) ? length + 1 : length
}

/** Returns, for each prefix of a text, the length of the longest shorter prefix that it ends with. */
function bordersOf(text: string): Uint32Array {
  const borders = new Uint32Array(text.length)
  let length = 0
  for (let at = 1; at < text.length; at += 1) {
    length = advanced(length, text.charCodeAt(at), text, borders)
    borders[at] = length
  }
  return borders
}
