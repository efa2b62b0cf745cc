import type { FeedPosition } from '../../change-feed-processor/feed/change-feed.js'
import type { Container } from '../../emulator/engine/index.js'
import type { MessageText } from './door-frames.js'

/** What the session of a process provides. */
export interface ToldWritesOptions {
  readonly send: (message: MessageText) => void
  /** Calls a function when all that is written by now is on disk, and not at all if the disk fails. */
  readonly whenSettled: (run: () => void) => void
  /** Returns the container whose feed the process reads, or null if there is none. */
  readonly container: () => Container | null
}

/** A page that a process will read next. */
interface Expected {
  readonly from: FeedPosition
  readonly maxItemCount: number
  /** Reads the page. Returns its text and the number of its changes. */
  readonly read: () => Promise<{ readonly text: string; readonly count: number }>
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
    this.expected.set(rangeOf(expected.from), expected)
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
    const pages = this.takeExpected()
    if (pages.length === 0) send(() => writtenText(this.takeWritten(), []))
    else {
      // The pages are read at once. Later writes may not be in them, so they are news of their own.
      const reading = Promise.all(pages.map(sentText))
      const ranges = this.takeWritten()
      reading.then(
        (texts) => send(writtenText(ranges, texts)),
        () => send(writtenText(ranges, [])),
      )
    }
  }

  private takeWritten(): readonly string[] {
    const ranges = [...this.written]
    this.written = new Set()
    return ranges
  }

  /** Removes and returns the pages that are expected of the written partitions. */
  private takeExpected(): readonly Expected[] {
    if (this.expected.size === 0) return []
    const container = this.options.container()
    if (container === null) return []
    const isWritten = ({ from: { feedRange } }: Expected): boolean =>
      container.partitionsIn(feedRange).some(({ id }) => this.written.has(id))
    const pages = [...this.expected.values()].filter(isWritten)
    for (const { from } of pages) this.forget(from)
    return pages
  }
}

function writtenText(ranges: readonly string[], pages: readonly string[]): string {
  return `["written",${[JSON.stringify(ranges), ...pages.filter((text) => text !== '')].join(',')}]`
}

/** Returns the text of a page with its position, or nothing if the process must ask for it, for example to get the error. */
async function sentText({ from, maxItemCount, read }: Expected): Promise<string> {
  const page = await read()
  return page.count === 0 ? '' : `[${JSON.stringify(from)},${maxItemCount},${page.text}]`
}

function rangeOf({ feedRange: { min, max } }: FeedPosition): string {
  return `${min}-${max}`
}
