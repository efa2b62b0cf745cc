import { readAllVersions, Refusal, type Container } from '../emulator/engine/index.js'
import type { VersionChange } from '../change-feed-processor/feed/change-feed.js'
import type { DocumentVersionChange, VersionsRead } from '../sas/store/job-queries.js'
import type { StateDocument } from '../sas/store/state-store.js'

interface Wanted {
  readonly partition: string
  /** An LSN as text, or `now`. */
  readonly after: string
  readonly limit: number
}

/** Reads a page of all versions of a logical partition directly on the engine. */
export function readVersions(container: Container, { partition, after, limit }: Wanted): VersionsRead {
  const place = container.locate([partition])
  const start =
    after === 'now' ? ({ kind: 'now' } as const) : ({ kind: 'after', lsn: Number(after) } as const)
  try {
    const { texts, lsn, charge } = readAllVersions(container, place.partition, {
      ...place,
      start,
      maxItemCount: limit,
    })
    const changes = texts.map((text) => asChange(JSON.parse(text) as VersionChange<StateDocument>))
    return { kind: 'page', changes, position: String(lsn), charge }
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 400) throw error
    const { message: reason } = error
    return reason.includes('retention period') ? { kind: 'forgotten' } : { kind: 'notKept', reason }
  }
}

function asChange({ current, previous, metadata }: VersionChange<StateDocument>): DocumentVersionChange {
  return {
    operation: metadata.operationType,
    lsn: metadata.lsn,
    at: metadata.crts,
    current: 'id' in current ? (current as StateDocument) : null,
    previous: previous ?? null,
    previousLsn: metadata.previousImageLSN ?? null,
  }
}
