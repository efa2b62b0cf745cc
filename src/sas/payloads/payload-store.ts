/** The job to which payloads belong. */
export interface PayloadOwner {
  readonly partitionKey: string
  readonly jobId: string
}

/** A payload as a store lists it. */
export interface StoredPayload extends PayloadOwner {
  readonly id: string
  /** The time of the write by the clock of the store, in milliseconds since the epoch. */
  readonly writtenAtMs: number
}

/**
 * A place for large inputs and outputs of jobs, which are too expensive in documents. `blobStorage` and
 * `folder` make stores. All processes and clients of a deployment must use the same store.
 *
 * Every method may reject. The caller then tries again later, or reports the error.
 */
export interface PayloadStore {
  /** Values of more bytes of JSON are put into the store. */
  readonly largerThan: number
  /** Writes a payload durably. No id is written with two contents. */
  put(owner: PayloadOwner, id: string, content: Uint8Array, signal?: AbortSignal): Promise<void>
  /** Reads a payload. Resolves to null if it does not exist. */
  get(owner: PayloadOwner, id: string, signal?: AbortSignal): Promise<Uint8Array | null>
  /** Lists all payloads, those of a job one after another. */
  list(): AsyncIterable<StoredPayload>
  /** Removes a payload. It is no error if the payload does not exist. */
  remove(payload: StoredPayload): Promise<void>
}

/** Values of more bytes go to the payload store. A write costs about 5 RU for each KB of a document. */
export const defaultLargerThan = 65_536

/** The range of the option `largerThan`. A document must stay well under the 2 MB of Cosmos DB. */
export const largerThanRange = { min: 2_048, max: 1_000_000 }
