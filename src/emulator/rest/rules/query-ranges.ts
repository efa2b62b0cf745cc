import { isPartitionKeyValue, keyRangeOfPrefix, wholeKeySpace, type Container } from '../../engine/index.js'
import type { CompiledQuery } from '../../query/index.js'

/** The parts of a container that determine where its keys are in the key space. */
export type KeyedContainer = Pick<Container, 'definition' | 'keySpace'>

/** A range of the key space that a query reads, in the form of a plan. */
interface QueryRange {
  readonly min: string
  readonly max: string
  readonly isMinInclusive: true
  readonly isMaxInclusive: boolean
}

/**
 * Returns the ranges of the key space that may hold results. For a query without FROM, returns the first
 * point of the key space, so that only one range answers. If equalities in the filter fix the whole partition
 * key, returns one point. If they fix only the first levels of a hierarchical key, returns a range.
 */
export function queryRanges(
  { definition, keySpace }: KeyedContainer,
  { equalities, readsContainer }: Pick<CompiledQuery, 'equalities' | 'readsContainer'>,
): readonly QueryRange[] {
  if (!readsContainer) return [pointRange(wholeKeySpace.min)]
  const { paths } = definition.partitionKey
  const values = []
  for (const path of paths) {
    // A property name with a dot in it would look like a nested property.
    const value = path.includes('.') ? undefined : equalities.get(path.slice(1).replaceAll('/', '.'))
    if (value === undefined || !isPartitionKeyValue(value)) break
    values.push(value)
  }
  if (values.length === 0) return [{ ...wholeKeySpace, isMinInclusive: true, isMaxInclusive: false }]
  if (values.length < paths.length) {
    return [{ ...keyRangeOfPrefix(values), isMinInclusive: true, isMaxInclusive: false }]
  }
  return [pointRange(keySpace.effectiveKeyOf(values))]
}

function pointRange(point: string): QueryRange {
  return { min: point, max: point, isMinInclusive: true, isMaxInclusive: true }
}
