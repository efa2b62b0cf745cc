import { badRequest } from '../values/refusal.js'
import { contains, middleOf } from './key-ranges.js'
import { PhysicalPartition } from './physical-partition.js'

/**
 * Returns two partitions that take the place of one. Both continue the parent's LSNs, so that a position in the parent's
 * feed is one in each child's. Their ids follow `lastRangeId`.
 */
export function split(parent: PhysicalPartition, lastRangeId: number): readonly PhysicalPartition[] {
  const middle = middleOf(parent.range)
  if (middle <= parent.range.min) {
    throw badRequest(`The range '${parent.id}' holds one key only and cannot be split.`)
  }
  const parents = [...parent.identity.parents, parent.id]
  return [
    { min: parent.range.min, max: middle },
    { min: middle, max: parent.range.max },
  ].map((range, index) => {
    const child = new PhysicalPartition({ id: String(lastRangeId + 1 + index), range, parents }, parent.lsn)
    child.store([...parent.documents.after(0)].filter((version) => contains(range, version.fields.epk)))
    return child
  })
}
