import { cpuUsage } from 'node:process'
import { QueryError } from './query-error.js'

/** The clocks that limit the time of a page. They count milliseconds from an arbitrary start. */
export interface PageClocks {
  readonly monotonic: () => number
  /** Returns how long the processor has worked for this process, without its work for other processes. */
  readonly processor: () => number
}

export function processorTime(): number {
  const { user, system } = cpuUsage()
  return (user + system) / 1_000
}

/**
 * The additional time that a page may take for each document that it must read. Reading a large container
 * takes long, but one document of 1 KB is parsed in less time than this.
 */
const perDocumentMs = 0.01

/**
 * The work between two looks at the clock. A unit takes some nanoseconds, and a look takes about ten units.
 */
const unitsPerLook = 4_096

/**
 * The total size of the large values that one page may compute, in characters. A value may have 4 million
 * characters, and a JOIN may compute it for each of thousands of rows, which would end the process.
 */
const mostValues = 128 * 1024 * 1024

/** The size of values that a page may compute in addition for each document that it must read. */
const perDocumentSize = 16 * 1024

/** The smallest size that counts as large. Smaller values are limited by the time of the page. */
const largeSize = 1_024

/** The size of an item of an array, besides the value that the item may share with a document. */
const itemSize = 8

/** The size of a parsed value for each character of its text. */
const parsedSize = 4

/** The usual work of parts of a query, in the same units. With large values, some take milliseconds. */
export const work = { comparedValues: 1, frame: 32, comparedContents: 64, call: 64, slowCall: unitsPerLook }

/**
 * Limits the time in which a query computes one page, and the size of the values that it computes. All parts
 * of the query report their work here before they do it, and large values after they have computed them. On a busy machine, a page may take longer, because work for other processes does not count.
 */
export class PageTime {
  private units = 0
  private over = false
  private valueSize = 0
  private allowedSize = 0
  private allowedMs = 0
  private begun = 0
  private processorBegun = 0

  constructor(
    private readonly limitMs: number,
    private readonly clocks: PageClocks,
  ) {
    this.begin()
  }

  /** The time of the page so far in milliseconds. */
  get ms(): number {
    return this.clocks.monotonic() - this.begun
  }

  /** True if more work on the current page, or more values, were refused. */
  get isOver(): boolean {
    return this.over
  }

  /** Begins the time of another page. */
  begin(): void {
    this.over = false
    this.valueSize = 0
    this.allowedSize = mostValues
    this.allowedMs = this.limitMs
    this.begun = this.clocks.monotonic()
    this.processorBegun = this.clocks.processor()
  }

  /** Allows more time and more values, because the query reads a document. */
  allowDocument(): void {
    this.allowedSize += perDocumentSize
    this.allowedMs += perDocumentMs
  }

  /** Adds work. Throws {@link QueryError} if the time is over. Looks at the clock only after much work. */
  spend(units: number): void {
    this.units += units
    if (this.units >= unitsPerLook) this.look()
  }

  /**
   * Adds the size of a value that a query has computed, and returns the value. Throws {@link QueryError} if
   * the large values of the page are too many.
   *
   * @param source the text from which a function has parsed the value
   */
  computed<T>(value: T, source?: unknown): T {
    if (typeof value === 'string') this.addSize(value.length)
    else if (typeof value !== 'object' || value === null) return value
    else if (typeof source === 'string') this.addSize(source.length * parsedSize)
    else if (Array.isArray(value)) this.addSize(value.length * itemSize)
    return value
  }

  private addSize(size: number): void {
    if (size < largeSize) return
    this.valueSize += size
    if (this.valueSize <= this.allowedSize) return
    this.over = true
    const reason =
      `The query computes large values of more than ${this.allowedSize} characters for one page. ` +
      'Filter before you join, or compute less.'
    throw new QueryError('BadRequest', reason, { start: 0, end: 0 })
  }

  private look(): void {
    const { monotonic, processor } = this.clocks
    this.units = 0
    if (monotonic() - this.begun < this.allowedMs) return
    if (processor() - this.processorBegun < this.allowedMs) return
    this.over = true
    const reason =
      `The query runs longer than the limit of ${Number((this.allowedMs / 1_000).toFixed(2))} s for one page. ` +
      'Filter by an indexed property, or compute less.'
    throw new QueryError('BadRequest', reason, { start: 0, end: 0 })
  }
}
