/**
 * Runs the work for all items, for at most `atOnce` items at a time. Returns every result in order. Never
 * rejects.
 */
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
