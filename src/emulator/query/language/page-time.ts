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

/** The usual work of parts of a query, in the same units. With large values, some take milliseconds. */
export const work = { comparedValues: 1, frame: 32, comparedContents: 64, call: 64, slowCall: unitsPerLook }

/**
 * Limits the time in which a query computes one page. All parts of the query report their work here before
 * they do it. On a busy machine, a page may take longer, because work for other processes does not count.
 */
export class PageTime {
  private units = 0
  private over = false
  private allowedMs = 0
  private begun = 0
  private processorBegun = 0

  constructor(
    private readonly limitMs: number,
    private readonly clocks: PageClocks,
  ) {
    this.begin()
  }

  /** True if `spend` has refused more work on the current page. */
  get isOver(): boolean {
    return this.over
  }

  /** Begins the time of another page. */
  begin(): void {
    this.over = false
    this.allowedMs = this.limitMs
    this.begun = this.clocks.monotonic()
    this.processorBegun = this.clocks.processor()
  }

  /** Allows more time, because the query reads a document. */
  allowDocument(): void {
    this.allowedMs += perDocumentMs
  }

  /** Adds work. Throws {@link QueryError} if the time is over. Looks at the clock only after much work. */
  spend(units: number): void {
    this.units += units
    if (this.units >= unitsPerLook) this.look()
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
