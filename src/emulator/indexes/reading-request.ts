import type { DocumentVersion, ScanScope } from '../engine/index.js'
import type { CompiledQuery, CountedDocument } from '../query/index.js'

/** A query and its scope. `needed` is the number of rows that the caller needs now. */
export interface ReadingRequest {
  readonly scope: ScanScope
  readonly query: Pick<
    CompiledQuery,
    'conditions' | 'presences' | 'order' | 'isStreaming' | 'readPaths' | 'requiredTexts'
  >
  readonly needed: number
  /** The documents after the one with this number are read. 0 means all documents. */
  readonly after: number
  /** The values of ORDER BY from which documents are needed. Missing or null if all documents are needed. */
  readonly place?: { readonly keys: readonly unknown[] } | null | undefined
  /** Whether to throw `IndexPending` if an index that the query needs is far behind. Default: false. */
  readonly mayWait?: boolean | undefined
}

/** The documents of a scope that may match a query. */
export interface IndexReading {
  readonly versions: Iterable<DocumentVersion>
  /** True if the documents have the order of ORDER BY, and false if they have the order of creation. */
  readonly isOrdered: boolean
  /**
   * True if the reading leaves out most documents before `place`, and yields a document from time to time even if none
   * matches. So a caller may end a page after any document, and read on later from its place. The reading has
   * already checked the texts that the query requires, so the caller must not leave out documents by them.
   */
  readonly canContinue?: boolean | undefined
  /**
   * The same documents with only the values that the query reads, if indexes know all of them. They cost much
   * less than the documents. Equal ones may be given together.
   */
  readonly covered?: Iterable<CountedDocument> | undefined
}
