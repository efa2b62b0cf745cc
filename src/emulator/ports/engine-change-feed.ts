import type {
  Change,
  ChangeFeed,
  ChangePage,
  FeedPosition,
  FeedStart,
  PhysicalRange,
  ReadOptions,
} from '../../change-feed-processor/change-feed.js'
import { FeedError } from '../../change-feed-processor/errors.js'
import {
  intersection,
  lookupCharge,
  readChanges,
  resolveStart,
  type ChangeFeedStart,
  type Container,
  type KeyRange,
  type PhysicalPartition,
} from '../engine/index.js'
import { parseFeedEtag } from '../feed-etag.js'
import { header } from '../rest-message.js'
import { sessionToken } from '../session-token.js'

/** Where the feed comes from, and when what it shows may be shown. */
export interface EngineChangeFeedOptions {
  readonly container: () => Container
  readonly settled: () => Promise<void> | null
  readonly now: () => number
}

/** The change feed port directly on the engine: the same rules as over REST, without the REST. */
export class EngineChangeFeed implements ChangeFeed {
  constructor(private readonly options: EngineChangeFeedOptions) {}

  async physicalRanges(): Promise<readonly PhysicalRange[]> {
    return this.options.container().partitions.map(({ id, range }) => ({ id, ...range }))
  }

  async readNext(from: FeedPosition, options: ReadOptions): Promise<ChangePage> {
    try {
      options.signal.throwIfAborted()
      const page = this.read(from, options)
      await this.options.settled()
      return page
    } catch (error) {
      const { min, max } = from.feedRange
      throw new FeedError(`the change feed [${min}, ${max}) was not read`, error)
    }
  }

  private read({ feedRange, start }: FeedPosition, { maxItemCount }: ReadOptions): ChangePage {
    const container = this.options.container()
    const [partition, ...others] = container.partitionsIn(feedRange)
    if (partition === undefined) throw new RangeError('a feed range must not be empty')
    const wanted = engineStart(start)
    if (others.length > 0) return splitPage(feedRange, [partition, ...others], wanted)
    const page = readChanges(container, partition, { start: wanted, range: feedRange, maxItemCount })
    return {
      changes: page.versions.map((version): Change => JSON.parse(version.feedText) as Change),
      next: [{ feedRange, start: continuation(page.lsn) }],
      isDrained: page.versions.length === 0,
      charge: page.charge,
      sessionToken: sessionToken(partition),
      headers: {
        etag: `"${page.lsn}"`,
        date: new Date(this.options.now()).toUTCString(),
        [header.charge]: String(page.charge),
        [header.sessionToken]: sessionToken(partition),
        [header.rangeId]: partition.id,
      },
    }
  }
}

/** Nothing is read from a range that is several by now; each part goes on from where the whole stood. */
function splitPage(
  feedRange: KeyRange,
  partitions: readonly PhysicalPartition[],
  start: ChangeFeedStart,
): ChangePage {
  return {
    changes: [],
    next: partitions.flatMap((partition) => {
      const part = intersection(partition.range, feedRange)
      return part === null ? [] : [{ feedRange: part, start: continuation(resolveStart(partition, start)) }]
    }),
    isDrained: false,
    charge: lookupCharge,
    sessionToken: null,
    headers: {},
  }
}

function engineStart(start: FeedStart): ChangeFeedStart {
  return start.kind === 'continuation' ? { kind: 'after', lsn: parseFeedEtag(start.token) } : start
}

function continuation(lsn: number): FeedStart {
  return { kind: 'continuation', token: `"${lsn}"` }
}
