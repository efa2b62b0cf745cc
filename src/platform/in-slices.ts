/** Runs the work for all items, at most `atOnce` at a time. Returns all results in order. Never rejects. */
export async function inSlices<T, R>(
  all: readonly T[],
  atOnce: number,
  work: (one: T) => Promise<R>,
): Promise<PromiseSettledResult<R>[]> {
  const results: PromiseSettledResult<R>[] = []
  for (let start = 0; start < all.length; start += atOnce) {
    results.push(...(await Promise.allSettled(all.slice(start, start + atOnce).map(work))))
  }
  return results
}
