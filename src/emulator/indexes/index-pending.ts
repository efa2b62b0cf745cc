/**
 * Thrown when a query needs an index that is far behind the documents. The index is then brought up to date in
 * slices, between which other requests are answered. When `ready` resolves, the caller runs the query again.
 * `ready` rejects if a document cannot be read.
 */
export class IndexPending extends Error {
  constructor(readonly ready: Promise<void>) {
    super('The index is not up to date yet; run the query again when `ready` resolves.')
    this.name = 'IndexPending'
  }
}
