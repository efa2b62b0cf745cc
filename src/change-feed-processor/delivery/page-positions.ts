import type { ChangePage, FeedPosition } from '../feed/change-feed.js'
import { lsnOf, type AnyChange } from '../feed/change-identity.js'

/** A page, and the position from which the page was read. */
export interface ReadPage {
  readonly from: FeedPosition
  readonly page: ChangePage<AnyChange>
}

/** Returns the token that covers exactly this page, or null for a page that reports a split. */
export function positionAfterAll({ next }: ChangePage<AnyChange>): string | null {
  const [only, ...others] = next
  return only?.start.kind === 'continuation' && others.length === 0 ? only.start.token : null
}

/**
 * Returns one continuation token for each change of a page. The token covers all changes up to that change
 * and nothing after the change. The token is null if that is impossible.
 *
 * A token is the number of a transaction, so its position lies between two transactions. A token is usable
 * only if all numbers before that position are smaller than all later numbers. After a merge, such a token
 * may not exist, because the merged partitions counted separately. The last change gets the token of the
 * page. A page that reports a split has no tokens, because all of its changes may belong to one child.
 */
export function positionsIn(page: ChangePage<AnyChange>): readonly (string | null)[] {
  const { changes } = page
  const token = positionAfterAll(page)
  if (token === null) return changes.map(() => null)
  const end = Number(/^"(\d+)"$/u.exec(token)?.[1] ?? Number.NaN)
  const smallestAfter: number[] = []
  let smallest = end + 1
  for (let index = changes.length - 1; index >= 0; index -= 1) {
    smallestAfter[index] = smallest
    const change = changes[index]
    if (change !== undefined) smallest = Math.min(smallest, lsnOf(change))
  }
  let largest = -Infinity
  return changes.map((change, index) => {
    largest = Math.max(largest, lsnOf(change))
    if (index === changes.length - 1) return token
    // Without a numeric page token, no position inside the page is known, and this comparison is false.
    return largest < (smallestAfter[index] ?? Number.NaN) ? `"${largest}"` : null
  })
}
