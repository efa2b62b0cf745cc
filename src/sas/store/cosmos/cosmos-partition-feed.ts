import type { ChangeFeedPullModelIterator, Container } from '@azure/cosmos'
import { feedStartsFor } from '../../../change-feed-processor/internal.js'
import type { PartitionFeed } from '../job-queries.js'
import type { StateDocument } from '../state-store.js'

const maxItemCount = 100

/** Reads the feed of one logical partition. For the limits of the SDK, see `CosmosChangeFeed`. */
export class CosmosPartitionFeed implements PartitionFeed {
  private iterator: ChangeFeedPullModelIterator<StateDocument> | null = null
  private token: string | null = null

  constructor(
    private readonly container: Container,
    private readonly partition: string,
    private readonly onCharge: (charge: number) => void,
  ) {}

  async readNext(): Promise<readonly StateDocument[]> {
    const iterator = this.iterator ?? (await this.opened())
    // After a failure the iterator's position is unknown, so the next read begins at the last known position.
    this.iterator = null
    const { statusCode: code, result, continuationToken, requestCharge } = await iterator.readNext()
    this.onCharge(requestCharge)
    if (code !== 200 && code !== 304) {
      throw Object.assign(new Error(`the service answered ${code}`), { code })
    }
    this.iterator = iterator
    this.token = continuationToken
    return code === 304 ? [] : result
  }

  private async opened(): Promise<ChangeFeedPullModelIterator<StateDocument>> {
    const starts = await feedStartsFor(this.container)
    const changeFeedStartFrom =
      this.token === null ? starts.Beginning(this.partition) : starts.Continuation(this.token)
    return this.container.items.getChangeFeedIterator<StateDocument>({
      maxItemCount,
      changeFeedStartFrom,
    })
  }
}
