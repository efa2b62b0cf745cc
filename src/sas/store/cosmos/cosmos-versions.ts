import type { ChangeFeedPullModelIterator } from '@azure/cosmos'
import { errorMessage } from '../../../platform/internal.js'
import { feedModes, feedStartsFor } from '../../../change-feed-processor/internal.js'
import type { CosmosStateRequests } from './cosmos-state-requests.js'
import type { DocumentVersionChange, JobQueries, VersionsRead } from '../job-queries.js'
import type { StateDocument } from '../state-store.js'

/** An item of the feed of all versions. Azure leaves out `previous`, except for deletes. */
interface VersionItem {
  readonly current?: StateDocument | Readonly<Record<string, never>>
  readonly previous?: StateDocument | Readonly<Record<string, never>>
  readonly metadata: {
    readonly operationType: DocumentVersionChange['operation']
    readonly lsn: number
    readonly crts: number
    readonly previousImageLSN?: number
  }
}

const operation = 'state.versions'

/**
 * Reads all versions of the documents of one logical partition.
 *
 * The feed of all versions begins at the present or at a continuation, never at a time. A continuation of the SDK
 * contains an LSN, so this class writes continuations itself.
 */
export class CosmosVersions {
  private resourceId: Promise<string> | undefined

  constructor(private readonly requests: CosmosStateRequests) {}

  async list(partition: string, after: string, limit: number): Promise<VersionsRead> {
    const starts = await feedStartsFor(this.requests.container)
    return this.requests.asking(operation, async () => {
      const changeFeedStartFrom =
        after === 'now' ? starts.Now(partition) : starts.Continuation(await this.tokenAt(partition, after))
      const iterator = this.requests.container.items.getChangeFeedIterator<VersionItem>({
        maxItemCount: limit,
        changeFeedMode: feedModes.allVersionsAndDeletes,
        changeFeedStartFrom,
      })
      try {
        const { result, position, charge } = await this.page(iterator)
        return { kind: 'page', changes: result.map(asChange), position, charge }
      } catch (error) {
        const refusal = refusalOf(error)
        if (refusal === null) throw error
        return refusal
      }
    })
  }

  async firstLsn(partition: string, sinceMs: number): ReturnType<JobQueries['firstLsn']> {
    const starts = await feedStartsFor(this.requests.container)
    return this.requests.asking(operation, async () => {
      const iterator = this.requests.container.items.getChangeFeedIterator<StateDocument>({
        maxItemCount: 1,
        changeFeedStartFrom: starts.Time(new Date(sinceMs), partition),
      })
      const { result, charge } = await this.page(iterator)
      const lsn = result[0]?.['_lsn']
      return { lsn: typeof lsn === 'number' ? lsn : null, charge }
    })
  }

  private async page<T>(
    iterator: ChangeFeedPullModelIterator<T>,
  ): Promise<{ readonly result: readonly T[]; readonly position: string; readonly charge: number }> {
    const { statusCode: code, result, headers, requestCharge: charge } = await iterator.readNext()
    this.requests.charge(operation, charge)
    if (code !== 200 && code !== 304) {
      throw Object.assign(new Error(`the service answered ${code}`), { code })
    }
    const position = String(headers['etag']).replaceAll('"', '')
    return { result: code === 304 ? [] : result, position, charge }
  }

  /** Returns the continuation of the SDK for a logical partition. */
  private async tokenAt(partitionKey: string, position: string): Promise<string> {
    const rid = await (this.resourceId ??= this.readResourceId())
    return JSON.stringify({ rid, partitionKey, Continuation: `"${position}"` })
  }

  private async readResourceId(): Promise<string> {
    try {
      const { resource, requestCharge } = await this.requests.container.read()
      this.requests.charge(operation, requestCharge)
      return resource?._rid ?? ''
    } catch (error) {
      // A failed read must not be remembered.
      this.resourceId = undefined
      throw error
    }
  }
}

/** Returns why the store refuses a position, or null for any other error. */
function refusalOf(error: unknown): VersionsRead | null {
  if (Reflect.get(Object(error), 'code') !== 400) return null
  const [reason = ''] = errorMessage(error).split('\n')
  return /retention period/i.test(reason) ? { kind: 'forgotten' } : { kind: 'notKept', reason }
}

function asChange({ current, previous, metadata }: VersionItem): DocumentVersionChange {
  return {
    operation: metadata.operationType,
    lsn: metadata.lsn,
    at: metadata.crts,
    current: documentIn(current),
    previous: documentIn(previous),
    previousLsn: metadata.previousImageLSN ?? null,
  }
}

function documentIn(found: VersionItem['current']): StateDocument | null {
  return found !== undefined && 'id' in found ? (found as StateDocument) : null
}
