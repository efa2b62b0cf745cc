import type {
  ChangeFeedMode,
  ChangeFeedPullModelIterator,
  Container,
  ContainerDefinition,
  FeedRange as SdkFeedRange,
  Resource,
} from '@azure/cosmos'
import type { FeedRange } from '../../../lease-store/index.js'
import { askAgainForRanges } from '../../../lease-store/internal.js'
import { compare, unlessAborted } from '../../platform/internal.js'
import type {
  Change,
  ChangeFeed,
  ChangePage,
  FeedPosition,
  PhysicalRange,
  ReadOptions,
  VersionChange,
} from './change-feed.js'
import { compositeToken, pageOf, RangeTokens, type DecodeChange } from './cosmos-feed-page.js'
import { feedModes } from './cosmos-feed-modes.js'
import { feedStartsFor } from './cosmos-sdk-copy.js'
import { decodeChange, decodeVersionChange } from './decode-change.js'
import { FeedError } from './errors.js'
import { startingBefore } from './start-position.js'

/** The container whose feed to read. */
export interface CosmosChangeFeedOptions {
  readonly container: Container
  /** Receives the request units of every page. */
  readonly onCharge?: (operation: string, charge: number) => void
}

type Iterator = ChangeFeedPullModelIterator<unknown>

/** The parameters of a read, except its position. */
interface Asked<C> extends ReadOptions {
  readonly mode: ChangeFeedMode
  readonly decode: DecodeChange<C>
}

/** An iterator, and the reader of its tokens. */
interface Opened {
  readonly iterator: Iterator
  readonly tokens: RangeTokens
}

/** An iterator between two reads, and the position from which it continues. */
interface Idle {
  readonly opened: Opened
  readonly token: string
  readonly maxItemCount: number
}

/**
 * Reads the change feed of a Cosmos DB container through the SDK's pull iterator. No other file uses that
 * iterator. This class works around the iterator's faults:
 *
 * - The iterator moves its own position before the caller has the page. This class reuses an iterator only if
 *   the iterator's position is the position to read from.
 * - The iterator hides splits. This class compares the ranges in the iterator's token with the requested
 *   range.
 * - After some failures the iterator loses its position and continues elsewhere. This class therefore
 *   discards the iterator after every result except a page or "nothing new".
 * - The SDK keeps a failed answer about the partition key ranges. This class lets it ask again.
 * - The iterator's errors and charges are incomplete. This class takes both from the headers.
 */
export class CosmosChangeFeed implements ChangeFeed {
  private readonly idle = new Map<string, Idle>()
  private known: (ContainerDefinition & Resource) | undefined

  constructor(private readonly options: CosmosChangeFeedOptions) {
    askAgainForRanges(options.container.database.client)
  }

  async physicalRanges(): Promise<readonly PhysicalRange[]> {
    const { resources } = await this.options.container.readPartitionKeyRanges().fetchAll()
    return resources
      .map((range) => ({ id: range.id, min: range.minInclusive, max: range.maxExclusive }))
      .sort((left, right) => compare(left.min, right.min))
  }

  async partitionKeyPaths(): Promise<readonly string[]> {
    return (await this.definition()).partitionKey?.paths ?? []
  }

  async containerRid(): Promise<string | null> {
    const { resource } = await this.options.container.read()
    this.known ??= resource
    return resource?._rid ?? null
  }

  readNext(from: FeedPosition, { maxItemCount, signal }: ReadOptions): Promise<ChangePage> {
    const { latestVersion: mode } = feedModes
    return this.read<Change>(from, { maxItemCount, signal, mode, decode: decodeChange })
  }

  readAllVersions(
    from: FeedPosition,
    { maxItemCount, signal }: ReadOptions,
  ): Promise<ChangePage<VersionChange>> {
    const { allVersionsAndDeletes: mode } = feedModes
    return this.read<VersionChange>(from, { maxItemCount, signal, mode, decode: decodeVersionChange })
  }

  private async read<C>(from: FeedPosition, asked: Asked<C>): Promise<ChangePage<C>> {
    try {
      // The iterator cannot be interrupted, and may retry a throttled request for more than half a minute.
      const page = await unlessAborted(this.readFrom(from, asked), asked.signal)
      if (page === null) throw new Error('the read was aborted')
      return page
    } catch (error) {
      const { min, max } = from.feedRange
      throw new FeedError(
        `the change feed of ${this.options.container.id} [${min}, ${max}) could not be read`,
        error,
      )
    }
  }

  private async readFrom<C>(from: FeedPosition, asked: Asked<C>): Promise<ChangePage<C>> {
    const opened = this.reusable(from, asked) ?? (await this.open(from, asked))
    const page = pageOf(await opened.iterator.readNext(), from, asked.decode, opened.tokens)
    this.options.onCharge?.('feed.read', page.charge)
    // If the read was aborted, the caller may already use another iterator.
    if (!asked.signal.aborted) this.keep(opened, page, from, asked)
    return page
  }

  /**
   * Removes the idle iterator from the map, and returns it if it can continue at this position. Only a
   * successful read puts the iterator back.
   */
  private reusable<C>({ feedRange, start }: FeedPosition, asked: Asked<C>): Opened | undefined {
    const key = iteratorKey(feedRange, asked.mode)
    const idle = this.idle.get(key)
    this.idle.delete(key)
    const standsThere = start.kind === 'continuation' && idle?.token === start.token
    return standsThere && idle.maxItemCount === asked.maxItemCount ? idle.opened : undefined
  }

  private keep<C>(
    opened: Opened,
    page: ChangePage<C>,
    from: FeedPosition,
    { mode, maxItemCount }: Asked<C>,
  ): void {
    const [next, ...others] = page.next
    // An iterator that began at a time keeps sending that time with its position, so it is not reused.
    if (next?.start.kind !== 'continuation' || others.length > 0 || from.start.kind === 'time') return
    this.idle.set(iteratorKey(from.feedRange, mode), { opened, token: next.start.token, maxItemCount })
  }

  private async open<C>(
    { feedRange, start }: FeedPosition,
    { maxItemCount, mode: changeFeedMode }: Asked<C>,
  ): Promise<Opened> {
    const starts = await feedStartsFor(this.options.container)
    const changeFeedStartFrom =
      start.kind === 'time'
        ? starts.Time(startingBefore(start.atMs), await this.sdkFeedRange(feedRange))
        : starts.Continuation(compositeToken((await this.definition())._rid, feedRange, start))
    const iterator = this.options.container.items.getChangeFeedIterator<unknown>({
      maxItemCount,
      changeFeedMode,
      changeFeedStartFrom,
    })
    return { iterator, tokens: new RangeTokens() }
  }

  private async definition(): Promise<ContainerDefinition & Resource> {
    if (this.known === undefined) {
      const { resource } = await this.options.container.read()
      if (resource === undefined) throw new Error(`container ${this.options.container.id} does not exist`)
      this.known = resource
    }
    return this.known
  }

  /** Builds an object of the SDK's own class. The SDK builds such objects only for whole partitions. */
  private async sdkFeedRange({ min, max }: FeedRange): Promise<SdkFeedRange> {
    const [sample] = await this.options.container.getFeedRanges()
    if (sample === undefined) throw new Error(`container ${this.options.container.id} has no feed ranges`)
    const range: unknown = Object.create(Object.getPrototypeOf(sample) as object)
    return Object.assign(range as SdkFeedRange, { minInclusive: min, maxExclusive: max })
  }
}

function iteratorKey({ min, max }: FeedRange, mode: ChangeFeedMode): string {
  return `${mode} ${min}-${max}`
}
