/** More than the places of one transaction. See {@link VersionHead.origin}. */
const placesPerTransaction = 128

/** The properties of a version that clients can see, without the parsed document. */
export interface VersionFields {
  readonly id: string
  /** The partition key as `partitionKeyText` writes it. */
  readonly keyText: string
  readonly epk: string
  /** The document's number in its container, in the order of creation. An update does not change it. */
  readonly number: number
  readonly lsn: number
  /** The position of the version within its transaction. */
  readonly place: number
  readonly etag: string
  /** Seconds since the epoch. */
  readonly ts: number
  /** The document's own `ttl` in seconds, -1 for never, or null if the document has no `ttl`. */
  readonly ttl: number | null
  /** The document as JSON, including system properties. */
  readonly text: string
}

/** What finds, orders and expires a version, without its text. */
export interface VersionHead extends Pick<VersionFields, 'id' | 'number' | 'lsn' | 'place' | 'ts' | 'ttl'> {
  /** The parts of the etag that a merge changes elsewhere, as `originOf` combines them. */
  readonly origin: number
  /** The size of the text in UTF-8. */
  readonly bytes: number
}

/** The JSON of a document as memory keeps it. */
export interface KeptText {
  /** The JSON of the client's properties. The service's properties follow from the other parts of the version. */
  readonly json: string
  /** Whether `json` also has the service's properties, because the record of the document has an older format. */
  readonly isWhole: boolean
}

/** A document as it is read from disk. */
export interface KeptDocument extends VersionHead, KeptText, Pick<VersionFields, 'keyText' | 'epk'> {}

/** Returns the range id and the place of a write as one number. */
export function originOf(rangeId: string, place: number): number {
  return Number(rangeId) * placesPerTransaction + place
}

export function rangeIdOf(origin: number): string {
  return String(Math.floor(origin / placesPerTransaction))
}

export function placeOf(origin: number): number {
  return origin % placesPerTransaction
}
