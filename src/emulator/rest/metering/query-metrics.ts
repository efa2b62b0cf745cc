import type { DocumentVersion } from '../../engine/index.js'

/** A query that counts the frames that passed its filter. */
interface Matching {
  matched(): number
}

/**
 * Measures one page of a query, for clients that ask for metrics. Measuring reads the clock several times for
 * each document, so only pages of these clients are measured.
 */
export class QueryMeasure {
  private readonly begunMs: number
  private compileMs = 0
  private lookupMs = 0
  private loadMs = 0
  private writeMs = 0
  private retrievedCount = 0
  private retrievedBytes = 0
  private hits = 0

  /** @param monotonic returns milliseconds since an arbitrary start */
  constructor(private readonly monotonic: () => number) {
    this.begunMs = monotonic()
  }

  /** Ends the time in which the query is compiled. */
  compiled(): void {
    this.compileMs = this.monotonic() - this.begunMs
  }

  /**
   * Yields the same versions and counts them. A query handles each version before it asks for the next one. A
   * version is a hit if the query found a match during that time.
   */
  *loading(
    versions: Iterable<DocumentVersion>,
    query: Matching,
  ): Generator<DocumentVersion, void, undefined> {
    let askedMs = this.monotonic()
    for (const version of versions) {
      const foundMs = this.monotonic()
      this.lookupMs += foundMs - askedMs
      this.load(version, foundMs)
      const before = query.matched()
      try {
        yield version
      } finally {
        if (query.matched() > before) this.hits += 1
      }
      askedMs = this.monotonic()
    }
    this.lookupMs += this.monotonic() - askedMs
  }

  /** Returns the JSON of a row. */
  write(row: unknown): string {
    const begunMs = this.monotonic()
    const text = JSON.stringify(row)
    this.writeMs += this.monotonic() - begunMs
    return text
  }

  /** Returns the metrics in the form of the header, and ends the measurement. */
  metrics(rows: readonly string[]): string {
    const totalMs = this.monotonic() - this.begunMs
    const figures: Readonly<Record<string, string>> = {
      totalExecutionTimeInMs: totalMs.toFixed(2),
      queryCompileTimeInMs: this.compileMs.toFixed(2),
      queryLogicalPlanBuildTimeInMs: '0.00',
      queryPhysicalPlanBuildTimeInMs: '0.00',
      queryOptimizationTimeInMs: '0.00',
      VMExecutionTimeInMs: (totalMs - this.compileMs).toFixed(2),
      indexLookupTimeInMs: this.lookupMs.toFixed(2),
      documentLoadTimeInMs: this.loadMs.toFixed(2),
      systemFunctionExecuteTimeInMs: '0.00',
      userFunctionExecuteTimeInMs: '0.00',
      retrievedDocumentCount: String(this.retrievedCount),
      retrievedDocumentSize: String(this.retrievedBytes),
      outputDocumentCount: String(rows.length),
      outputDocumentSize: String(rows.reduce((bytes, row) => bytes + Buffer.byteLength(row), 0)),
      writeOutputTimeInMs: this.writeMs.toFixed(2),
      indexUtilizationRatio: (this.retrievedCount === 0 ? 1 : this.hits / this.retrievedCount).toFixed(2),
    }
    return Object.entries(figures)
      .map(([name, value]) => `${name}=${value}`)
      .join(';')
  }

  private load(version: DocumentVersion, begunMs: number): void {
    version.keepParsed()
    this.retrievedCount += 1
    this.retrievedBytes += version.bytes
    this.loadMs += this.monotonic() - begunMs
  }
}
