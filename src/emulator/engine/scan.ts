import type { Container } from './container.js'
import type { DocumentVersion } from './values/document-version.js'
import { contains, wholeKeySpace, type KeyRange } from './partitions/key-ranges.js'
import { mergedInOrder } from './partitions/merged-in-order.js'
import type { PhysicalPartition } from './partitions/physical-partition.js'

/** The documents of one partition key or of one range. A range may be limited to one partition. */
export type ScanScope =
  | { readonly kind: 'key'; readonly partition: PhysicalPartition; readonly keyText: string }
  | {
      readonly kind: 'range'
      readonly partition?: PhysicalPartition | undefined
      readonly range?: KeyRange | undefined
    }

/** Returns the physical partitions that a scan reads. */
export function partitionsIn(container: Container, scope: ScanScope): readonly PhysicalPartition[] {
  if (scope.kind === 'key') return [scope.partition]
  const { partition, range = wholeKeySpace } = scope
  return partition === undefined ? container.partitionsIn(range) : [partition]
}

/**
 * Yields documents whose number is larger than `afterNumber`, in the order of creation. All partitions share
 * this order, so a number remains a valid position even after a split. Nothing may be written during a scan.
 */
export function* scan(
  container: Container,
  scope: ScanScope = { kind: 'range' },
  afterNumber = 0,
): Generator<DocumentVersion, void, undefined> {
  for (const version of candidates(container, scope, afterNumber)) {
    if (!container.isExpired(version)) yield version
  }
}

/** The same as `scan` over the whole container, but with the documents that have expired. */
export function everyVersion(container: Container, afterNumber: number): Iterable<DocumentVersion> {
  return candidates(container, { kind: 'range' }, afterNumber)
}

function* candidates(
  container: Container,
  scope: ScanScope,
  afterNumber: number,
): Generator<DocumentVersion, void, undefined> {
  if (scope.kind === 'key') {
    for (const version of scope.partition.documentsOf(scope.keyText)) {
      if (version.number > afterNumber) yield version
    }
    return
  }
  const { partition, range } = scope
  const streams = partitionsIn(container, scope).map((one) => one.hotAfter(afterNumber))
  const cold = container.coldAfter(afterNumber)
  const all = cold === null ? streams : [...streams, cold]
  for (const version of mergedInOrder(all, numberOf)) {
    const isIn = partition === undefined || contains(partition.range, version.epk)
    if (isIn && (range === undefined || contains(range, version.epk))) yield version
  }
}

function numberOf({ number }: DocumentVersion): number {
  return number
}
