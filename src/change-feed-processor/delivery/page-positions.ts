import type { ChangePage, FeedPosition } from '../feed/change-feed.js'
import { lsnOf, type AnyChange } from '../feed/change-identity.js'

/** A page as it was read, with the position that it was read from. */
export interface ReadPage {
  readonly from: FeedPosition
  readonly page: ChangePage<AnyChange>
}

/**
 * Returns the continuation token that covers this whole page and nothing after it. Null for a page that
 * reports a split.
 */
export function positionAfterAll({ next }: ChangePage<AnyChange>): string | null {
  const [only, ...others] = next
  return only?.start.kind === 'continuation' && others.length === 0 ? only.start.token : null
}

/**
 * Returns for each change of a page the continuation token that covers everything up to it and nothing after
 * it, or null where no token can.
 *
 * A token is the number of a transaction, so it stands between two transactions. It is usable only where all
 * numbers before it are smaller than all numbers after it; merged partitions counted theirs separately. After
 * the last change the token is that of the page. A page that reports a split has no tokens: its changes may
 * all belong to one child.
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
    // A token that is not a number compares false: then no position inside the page is known.
    return largest < (smallestAfter[index] ?? Number.NaN) ? `"${largest}"` : null
  })
}
