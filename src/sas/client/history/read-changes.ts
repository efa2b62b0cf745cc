import { ownChange, type OwnChange, type Version } from './versions.js'
import type { VersionQueries } from './find-begin.js'

/** The versions of one job after a position. */
export interface Asked {
  readonly partition: string
  readonly jobId: string
  readonly position: string
  /** The least number of changes, unless fewer are left. */
  readonly limit: number
}

export type ReadChanges =
  | {
      readonly kind: 'read'
      readonly changes: readonly OwnChange[]
      readonly position: string
      readonly isDrained: boolean
      readonly charge: number
    }
  | { readonly kind: 'notKept' | 'forgotten' }

/** The most pages that one call reads, because most changes of a partition may belong to other jobs. */
const mostPages = 20
/** The number of changes of the transaction in which a version is looked for. */
const mostInTransaction = 100

/** Reads changes of a job, each with the version before, as far as the store keeps it. */
export async function readChanges(queries: VersionQueries, asked: Asked): Promise<ReadChanges> {
  const { partition, jobId, limit } = asked
  const known = new Map<string, Version | null>()
  const changes: OwnChange[] = []
  let [position, charge, isDrained] = [asked.position, 0, false]
  for (let page = 0; page < mostPages && changes.length < limit && !isDrained; page += 1) {
    const read = await queries.listVersions(partition, position, limit)
    if (read.kind !== 'page') return { kind: read.kind }
    charge += read.charge
    isDrained = read.changes.length === 0
    position = read.position
    for (const found of read.changes.flatMap((change) => ownChange(change, jobId))) {
      const before = await versionBefore(queries, { partition, jobId, found, known })
      charge += before.charge
      known.set(found.id, found.after)
      changes.push({ ...found, before: before.version })
    }
  }
  return { kind: 'read', changes, position, isDrained, charge }
}

interface Wanted extends Pick<Asked, 'partition' | 'jobId'> {
  readonly found: OwnChange
  /** The last version of each document that this call has read. */
  readonly known: ReadonlyMap<string, Version | null>
}

/** Returns the version before a change. Azure does not send it, but names its transaction. */
async function versionBefore(
  queries: VersionQueries,
  { partition, jobId, found, known }: Wanted,
): Promise<{ readonly version: Version | null; readonly charge: number }> {
  const { id, before, operation, previousLsn } = found
  if (before !== null || operation === 'create') return { version: before, charge: 0 }
  const last = known.get(id)
  if (last !== undefined) return { version: last, charge: 0 }
  if (previousLsn === null) return { version: null, charge: 0 }
  const read = await queries.listVersions(partition, String(previousLsn - 1), mostInTransaction)
  if (read.kind !== 'page') return { version: null, charge: 0 }
  const earlier = read.changes
    .flatMap((change) => ownChange(change, jobId))
    .find((change) => change.id === id && change.lsn === previousLsn)
  return { version: earlier?.after ?? null, charge: read.charge }
}
