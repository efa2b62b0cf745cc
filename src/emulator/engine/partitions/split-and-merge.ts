import type { DocumentVersion } from '../values/document-version.js'
import { badRequest } from '../values/refusal.js'
import { contains } from './key-ranges.js'
import { middleOf, type KeySpace } from './key-space.js'
import type { PhysicalPartition } from './physical-partition.js'
import type { Held } from './physical-partition.js'

/**
 * Splits a partition and returns its two children, with the next two ids after `lastRangeId`. Both continue
 * the parent's LSNs, so a position in the parent's feed stays valid.
 */
export function split(
  parent: PhysicalPartition,
  lastRangeId: number,
  space: KeySpace,
): readonly PhysicalPartition[] {
  const middle = middleOf(parent.range, space)
  if (middle <= parent.range.min) {
    throw badRequest(`The range '${parent.id}' holds one key only and cannot be split.`)
  }
  const parents = [...parent.identity.parents, parent.id]
  return [
    { min: parent.range.min, max: middle },
    { min: middle, max: parent.range.max },
  ].map((range, index) => {
    const child = parent.successor({ id: String(lastRangeId + 1 + index), range, parents }, parent.lsn)
    const isIn = ({ epk }: DocumentVersion): boolean => contains(range, epk)
    child.takeOver([...parent.hotAfter(0)].filter(isIn), [parent], heldOf(parent.documents.after(0), isIn))
    return child
  })
}

function heldOf(versions: Iterable<DocumentVersion>, isCounted: (version: DocumentVersion) => boolean): Held {
  let count = 0
  let bytes = 0
  for (const version of versions) {
    if (!isCounted(version)) continue
    count += 1
    bytes += version.bytes
  }
  return { count, bytes }
}

export interface Merged {
  readonly child: PhysicalPartition
  /** Versions whose position in the child's log differs from their position in the parent's log. */
  readonly moved: readonly DocumentVersion[]
}

/**
 * Merges two neighbouring physical partitions. The child continues after the larger of the two LSNs, and
 * every document keeps its LSN. So a position in a parent's feed is also valid in the child's feed, for the
 * parent's part of the key space.
 */
export function merge(parents: readonly [PhysicalPartition, PhysicalPartition], id: string): Merged {
  const [left, right] = parents[0].range.min < parents[1].range.min ? parents : [parents[1], parents[0]]
  if (left.range.max !== right.range.min) {
    throw badRequest(
      `The ranges '${left.id}' and '${right.id}' are not neighbours, so they cannot become one. Name ` +
        'two ranges, one of which ends where the other begins.',
    )
  }
  const ancestors = [...left.identity.parents, left.id, ...right.identity.parents, right.id]
  const identity = {
    id,
    range: { min: left.range.min, max: right.range.max },
    parents: [...new Set(ancestors)].sort((one, other) => Number(one) - Number(other)),
  }
  const child = left.successor(identity, Math.max(left.lsn, right.lsn))
  const { versions, moved } = interleaved(left, right)
  const count = left.held.count + right.held.count
  child.takeOver(versions, [left, right], { count, bytes: left.held.bytes + right.held.bytes })
  return { child, moved }
}

/**
 * Merges two logs that counted their LSNs separately. At the same LSN, the left log comes first. Returns the
 * versions that the child has in memory.
 */
function interleaved(
  left: PhysicalPartition,
  right: PhysicalPartition,
): { readonly versions: readonly DocumentVersion[]; readonly moved: readonly DocumentVersion[] } {
  const placesTaken = new Map<number, number>()
  for (const { lsn, place } of left.changes.after(0)) placesTaken.set(lsn, place + 1)
  const versions = [...left.hotAfter(0)]
  const moved: DocumentVersion[] = []
  for (const version of right.changes.after(0)) {
    const taken = placesTaken.get(version.lsn) ?? 0
    if (taken === 0) {
      if (right.hotNumbered(version.number) !== undefined) versions.push(version)
      continue
    }
    const again = version.movedTo(taken + version.place)
    versions.push(again)
    moved.push(again)
  }
  return { versions, moved }
}
