import { LoadedDocuments, type LoadedNumbers } from './loaded-documents.js'

/**
 * Measures one page of a query, for clients that ask for metrics. Measuring reads the clock several times for
 * each document, so only pages of these clients are measured.
 */
export class QueryMeasure {
  private readonly begunMs: number
  private compileMs = 0
  private writeMs = 0
  readonly loaded: LoadedDocuments
  /** The counts and times of this page, or undefined if `loaded` has them. */
  private ofPage: Readonly<LoadedNumbers> | undefined

  /** @param monotonic returns milliseconds since an arbitrary start */
  constructor(private readonly monotonic: () => number) {
    this.begunMs = monotonic()
    this.loaded = new LoadedDocuments(monotonic)
  }

  /** Ends the time in which the query is compiled. */
  compiled(): void {
    this.compileMs = this.monotonic() - this.begunMs
  }

  /** Sets the counts and times of this page. An earlier page may have begun to load the documents. */
  took(numbers: Readonly<LoadedNumbers>): void {
    this.ofPage = numbers
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
    const { count, bytes, hits, lookupMs, loadMs } = this.ofPage ?? this.loaded.take()
    const totalMs = this.monotonic() - this.begunMs
    const figures: Readonly<Record<string, string>> = {
      totalExecutionTimeInMs: totalMs.toFixed(2),
      queryCompileTimeInMs: this.compileMs.toFixed(2),
      queryLogicalPlanBuildTimeInMs: '0.00',
      queryPhysicalPlanBuildTimeInMs: '0.00',
      queryOptimizationTimeInMs: '0.00',
      VMExecutionTimeInMs: (totalMs - this.compileMs).toFixed(2),
      indexLookupTimeInMs: lookupMs.toFixed(2),
      documentLoadTimeInMs: loadMs.toFixed(2),
      systemFunctionExecuteTimeInMs: '0.00',
      userFunctionExecuteTimeInMs: '0.00',
      retrievedDocumentCount: String(count),
      retrievedDocumentSize: String(bytes),
      outputDocumentCount: String(rows.length),
      outputDocumentSize: String(rows.reduce((sum, row) => sum + Buffer.byteLength(row), 0)),
      writeOutputTimeInMs: this.writeMs.toFixed(2),
      indexUtilizationRatio: (count === 0 ? 1 : hits / count).toFixed(2),
    }
    return Object.entries(figures)
      .map(([name, value]) => `${name}=${value}`)
      .join(';')
  }
}
