import type { Container } from './container.js'
import type { DocumentVersion } from './values/document-version.js'
import { contains, wholeKeySpace, type KeyRange } from './partitions/key-ranges.js'
import type { PhysicalPartition } from './partitions/physical-partition.js'

/** The documents to scan. */
export type ScanScope =
  | { readonly kind: 'key'; readonly partition: PhysicalPartition; readonly keyText: string }
  | { readonly kind: 'partition'; readonly partition: PhysicalPartition; readonly range?: KeyRange }
  | { readonly kind: 'container'; readonly range?: KeyRange }

/**
 * Yields documents whose number is larger than `afterNumber`, in the order of creation across partitions. So a
 * number remains a valid position even after a split. Nothing may be written during a scan.
 */
export function* scan(
  container: Container,
  scope: ScanScope,
  afterNumber = 0,
): Generator<DocumentVersion, void, undefined> {
  for (const version of candidates(container, scope, afterNumber)) {
    if (!container.isExpired(version)) yield version
  }
}

function* candidates(
  container: Container,
  scope: ScanScope,
  afterNumber: number,
): Generator<DocumentVersion, void, undefined> {
  if (scope.kind === 'key') {
    for (const version of scope.partition.documentsOf(scope.keyText)) {
      if (version.fields.number > afterNumber) yield version
    }
    return
  }
  if (scope.kind === 'partition') {
    const { range } = scope
    for (const version of scope.partition.documents.after(afterNumber)) {
      if (range === undefined || contains(range, version.fields.epk)) yield version
    }
    return
  }
  const { range = wholeKeySpace } = scope
  const streams = container.partitionsIn(range).map((partition) => partition.documents.after(afterNumber))
  for (const version of merged(streams)) {
    if (contains(range, version.fields.epk)) yield version
  }
}

/** Merges streams by document number. */
function* merged(
  streams: readonly Iterator<DocumentVersion, void, undefined>[],
): Generator<DocumentVersion, void, undefined> {
  const heads = streams.map((stream) => stream.next())
  while (true) {
    let first: DocumentVersion | undefined
    let firstIndex = 0
    for (const [index, head] of heads.entries()) {
      if (head.done === true) continue
      if (first === undefined || head.value.fields.number < first.fields.number) {
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
