import type { ChangePage, FeedPosition } from '../feed/change-feed.js'
import { lsnOf, type AnyChange } from '../feed/change-identity.js'

/** A page as it was read, and from where. */
export interface ReadPage {
  readonly from: FeedPosition
  readonly page: ChangePage<AnyChange>
}

/** The continuation token that says "everything in this page, nothing after"; null for a page that tells of a split. */
export function positionAfterAll({ next }: ChangePage<AnyChange>): string | null {
  const [only, ...others] = next
  return only?.start.kind === 'continuation' && others.length === 0 ? only.start.token : null
}

/**
 * For each change of a page the continuation token that says "everything up to here, nothing after", or null where none
 * can: a token is the number of a transaction, so it stands between two transactions, and only where all numbers before
 * are smaller than all after (those of partitions that were merged were counted apart). After the last change it is
 * the page's own. A page that tells of a split has none: its changes may be those of one child only.
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
    // A token that is not a number compares false: then nothing can be said inside the page.
    return largest < (smallestAfter[index] ?? Number.NaN) ? `"${largest}"` : null
  })
}
