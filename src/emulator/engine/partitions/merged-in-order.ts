/** Yields the items of streams that are each in the order of a rank, in that order. */
export function* mergedInOrder<T>(
  streams: readonly Iterator<T, void, undefined>[],
  rank: (item: T) => number,
): Generator<T, void, undefined> {
  const [only] = streams
  if (only !== undefined && streams.length === 1) {
    for (let next = only.next(); next.done !== true; next = only.next()) yield next.value
    return
  }
  const heads = streams.map((stream) => stream.next())
  while (true) {
    let first: T | undefined
    let firstIndex = -1
    for (const [index, head] of heads.entries()) {
      if (head.done === true) continue
      if (first === undefined || rank(head.value) < rank(first)) {
        first = head.value
        firstIndex = index
      }
    }
    if (first === undefined) return
    yield first
    const stream = streams[firstIndex]
    if (stream !== undefined) heads[firstIndex] = stream.next()
  }
}
