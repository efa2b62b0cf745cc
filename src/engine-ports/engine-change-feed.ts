import type {
  Change,
  ChangeFeed,
  ChangePage,
  FeedPosition,
  FeedStart,
  PhysicalRange,
  ReadOptions,
  VersionChange,
} from '../change-feed-processor/feed/change-feed.js'
import { FeedError } from '../change-feed-processor/feed/errors.js'
import {
  intersection,
  lookupCharge,
  readAllVersions,
  readChanges,
  resolveStart,
  type ChangeFeedRequest,
  type ChangeFeedStart,
  type Container,
  type DocumentVersion,
  type KeyRange,
  type PhysicalPartition,
} from '../emulator/engine/index.js'
import { parseFeedEtag } from '../emulator/messages/feed-etag.js'
import { header } from '../emulator/messages/rest-message.js'
import { sessionToken } from '../emulator/messages/session-token.js'
import { WrittenChange } from '../sas/model/delivered/written-change.js'
import type { WrittenVersions } from './written-versions.js'

/** `settled` waits until pages may be returned. */
export interface EngineChangeFeedOptions {
  readonly container: () => Container
  readonly settled: () => Promise<void> | null
  readonly now: () => number
  /** Receives the request units of every page. */
  readonly onCharge: (operation: string, charge: number) => void
  /** The versions that this process has written, which the feed need not parse. Default: none are known. */
  readonly written?: WrittenVersions
}

/** Reads a page of one partition from one of the engine's two feeds. */
type ReadPartition<C> = (
  request: ChangeFeedRequest & { readonly container: Container; readonly partition: PhysicalPartition },
) => Pick<ChangePage<C>, 'changes' | 'bytes' | 'charge'> & { readonly lsn: number }

/** Returns the text for a version that the reader has written itself. */
type NameOf = (version: DocumentVersion) => string

/** Implements the change feed port directly on the engine, with the same rules as the feed over REST. */
export class EngineChangeFeed implements ChangeFeed {
  constructor(private readonly options: EngineChangeFeedOptions) {}

  async physicalRanges(): Promise<readonly PhysicalRange[]> {
    return this.options.container().partitions.map(({ id, range }) => ({ id, ...range }))
  }

  async partitionKeyPaths(): Promise<readonly string[]> {
    return this.options.container().definition.partitionKey.paths
  }

  async containerRid(): Promise<string> {
    return this.options.container().rid
  }

  async readNext(from: FeedPosition, options: ReadOptions): Promise<ChangePage> {
    this.options.written?.begin()
    return this.readPage(from, options, (request) => {
      const { versions, ...page } = readChanges(request.container, request.partition, request)
      return { ...page, changes: versions.map((version) => this.changeOf(version)), bytes: bytesOf(versions) }
    })
  }

  async readAllVersions(from: FeedPosition, options: ReadOptions): Promise<ChangePage<VersionChange>> {
    const { changes, ...page } = await this.readAllVersionTexts(from, options)
    return { ...page, changes: changes.map((text) => JSON.parse(text) as VersionChange) }
  }

  /**
   * The same as `readNext`, but each change is JSON text. If there is a `nameOf`, it returns the text for a version that
   * the reader has written itself.
   */
  readNextTexts(from: FeedPosition, options: ReadOptions, nameOf?: NameOf): Promise<ChangePage<string>> {
    return this.readPage(from, options, this.textsOf(nameOf))
  }

  /** The same as `readNextTexts`, but at once. Call it only if no write is on its way to the disk. */
  nextTextsNow(from: FeedPosition, options: ReadOptions, nameOf: NameOf): ChangePage<string> {
    const page = this.read(from, options, this.textsOf(nameOf))
    this.options.onCharge('feed.read', page.charge)
    return page
  }

  private textsOf(nameOf?: NameOf): ReadPartition<string> {
    const { written } = this.options
    if (nameOf !== undefined) written?.begin()
    return (request) => {
      const { versions, ...page } = readChanges(request.container, request.partition, request)
      const changes = versions.map((version) =>
        written?.take(version) !== undefined && nameOf !== undefined ? nameOf(version) : version.feedText,
      )
      return { ...page, changes, bytes: bytesOf(versions) }
    }
  }

  /** The same as `readAllVersions`, but each change is JSON text. */
  readAllVersionTexts(from: FeedPosition, options: ReadOptions): Promise<ChangePage<string>> {
    return this.readPage(from, options, (request) => {
      const { texts, ...page } = readAllVersions(request.container, request.partition, request)
      return { ...page, changes: texts }
    })
  }

  private changeOf(version: DocumentVersion): Change {
    const document = this.options.written?.take(version) ?? null
    return document === null ? (version.feedCopy() as Change) : new WrittenChange(document, version.feedMarks)
  }

  private async readPage<C>(
    from: FeedPosition,
    options: ReadOptions,
    read: ReadPartition<C>,
  ): Promise<ChangePage<C>> {
    try {
      options.signal.throwIfAborted()
      const page = this.read(from, options, read)
      this.options.onCharge('feed.read', page.charge)
      await this.options.settled()
      return page
    } catch (error) {
      const { min, max } = from.feedRange
      throw new FeedError(`the change feed [${min}, ${max}) could not be read`, error)
    }
  }

  private read<C>(
    { feedRange: range, start: from }: FeedPosition,
    { maxItemCount }: ReadOptions,
    read: ReadPartition<C>,
  ): ChangePage<C> {
    const container = this.options.container()
    const [partition, ...others] = container.partitionsIn(range)
    if (partition === undefined) throw new RangeError('a feed range must not be empty')
    const start = engineStart(from)
    if (others.length > 0) return splitPage(range, [partition, ...others], start)
    const { lsn, ...found } = read({ container, partition, range, start, maxItemCount })
    return {
      ...found,
      next: [{ feedRange: range, start: continuation(lsn) }],
      isDrained: found.changes.length === 0,
      sessionToken: sessionToken(partition),
      headers: {
        etag: `"${lsn}"`,
        date: new Date(this.options.now()).toUTCString(),
        [header.charge]: String(found.charge),
        [header.sessionToken]: sessionToken(partition),
        [header.rangeId]: partition.id,
        [header.contentPath]: container.rid,
      },
      diagnostics: null,
    }
  }
}

/**
 * Returns an empty page for a range that has been split. Each part continues from the position of the whole.
 */
function splitPage(
  feedRange: KeyRange,
  partitions: readonly PhysicalPartition[],
  start: ChangeFeedStart,
): ChangePage<never> {
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
    diagnostics: null,
  }
}

function bytesOf(versions: readonly DocumentVersion[]): number {
  return versions.reduce((sum, { bytes }) => sum + bytes, 0)
}

function engineStart(start: FeedStart): ChangeFeedStart {
  return start.kind === 'continuation' ? { kind: 'after', lsn: parseFeedEtag(start.token) } : start
}

function continuation(lsn: number): FeedStart {
  return { kind: 'continuation', token: `"${lsn}"` }
}
