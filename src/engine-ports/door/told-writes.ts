import type { ChangePage, FeedPosition } from '../../change-feed-processor/feed/change-feed.js'
import type { Container } from '../../emulator/engine/index.js'
import { pageText } from './door-answers.js'
import type { MessageText } from './door-frames.js'
import { rangeOf } from './door-messages.js'

/** What the session of a process provides. */
export interface ToldWritesOptions {
  readonly send: (message: MessageText) => void
  /** Calls a function when all that is written by now is on disk, and not at all if the disk fails. */
  readonly whenSettled: (run: () => void) => void
  /**
   * Returns the container of the process if a page can be read and sent at once. Null if there is another container or none, if a write is on
   * its way to the disk, or if the process does not take what was sent.
   */
  readonly readable: () => Container | null
}

/** The most pages that a process may expect. The page that has been expected longest is forgotten first. */
const mostExpected = 64

/** The length of the pages of a message beyond which no page is added. */
const mostText = 2 ** 20

/** A page that a process will read next. */
interface Expected {
  readonly from: FeedPosition
  readonly maxItemCount: number
  /** Reads the page at once. Its changes are JSON text. */
  readonly read: () => ChangePage<string>
}

/**
 * Tells a process of the writes of others. If a reader pauses, the page that it will read next is sent with the news of the write. A page is
 * sent once for each time that it is expected. So a reader that is at work gets no page that it has not asked for.
 */
export class ToldWrites {
  /** The physical partitions that the next message names. */
  private written = new Set<string>()
  /** By feed range. */
  private readonly expected = new Map<string, Expected>()

  constructor(private readonly options: ToldWritesOptions) {}

  expect(expected: Expected): void {
    this.forget(expected.from)
    this.expected.set(rangeOf(expected.from), expected)
    const [oldest] = this.expected.keys()
    if (this.expected.size > mostExpected && oldest !== undefined) this.expected.delete(oldest)
  }

  /** Expects no page of a range any more, because the process has asked for one. */
  forget(from: FeedPosition): void {
    this.expected.delete(rangeOf(from))
  }

  /** Called after a write of others. */
  note(rangeId: string): void {
    const isToldSoon = this.written.size > 0
    this.written.add(rangeId)
    // With the answers to the same writes, a frame of its own is not needed.
    if (!isToldSoon) this.options.whenSettled(() => this.tell())
  }

  private tell(): void {
    const { send } = this.options
    // An error would end in the write that is told, and the process would hear of no later write.
    const texts = unlessFailed(() => textsOf(this.takeExpected())) ?? []
    // A message without pages also names the partitions of writes that come until it leaves. A page lacks such writes, so they are news of
    // their own.
    send(
      texts.length === 0 ? () => writtenText(this.takeWritten(), []) : writtenText(this.takeWritten(), texts),
    )
  }

  private takeWritten(): readonly string[] {
    const ranges = [...this.written]
    this.written = new Set()
    return ranges
  }

  /** Removes and returns the pages that are expected of the written partitions. */
  private takeExpected(): readonly Expected[] {
    if (this.expected.size === 0) return []
    const container = this.options.readable()
    if (container === null) return []
    const isWritten = ({ from: { feedRange } }: Expected): boolean =>
      container.partitionsIn(feedRange).some(({ id }) => this.written.has(id))
    const pages = [...this.expected.values()].filter(isWritten)
    for (const { from } of pages) this.forget(from)
    return pages
  }
}

function writtenText(ranges: readonly string[], pages: readonly string[]): string {
  return `["written",${[JSON.stringify(ranges), ...pages].join(',')}]`
}

/** Returns the texts of pages with their positions. Leaves out those that the process must ask for, for example to get the error. */
function textsOf(pages: readonly Expected[]): readonly string[] {
  const texts: string[] = []
  let length = 0
  for (const { from, maxItemCount, read } of pages) {
    const page = length < mostText ? unlessFailed(read) : null
    if (page === null || page.changes.length === 0) continue
    const text = `[${JSON.stringify(from)},${maxItemCount},${pageText(page)}]`
    length += text.length
    texts.push(text)
  }
  return texts
}

function unlessFailed<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}
