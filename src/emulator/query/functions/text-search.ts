/** Up to this length, the JavaScript engine's search is always fast. Beyond it, its time may be quadratic. */
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
      const code = text.charCodeAt(at)
      while (matched > 0 && code !== wanted.charCodeAt(matched)) matched = borders[matched - 1] ?? 0
      if (code === wanted.charCodeAt(matched)) matched += 1
      if (matched === wanted.length) return at - matched + 1
    }
    return -1
  }
}

/** Returns, for each prefix of a text, the length of the longest shorter prefix that it ends with. */
function bordersOf(text: string): Uint32Array {
  const borders = new Uint32Array(text.length)
  let length = 0
  for (let at = 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    while (length > 0 && code !== text.charCodeAt(length)) length = borders[length - 1] ?? 0
    if (code === text.charCodeAt(length)) length += 1
    borders[at] = length
  }
  return borders
}
