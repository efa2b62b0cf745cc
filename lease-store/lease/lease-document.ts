import { isEpkRange, leaseTokenOf } from './feed-range.js'
import type { FeedRange, FirstPosition, Lease, LeaseMode, LeaseOwner, NewLease } from './lease.js'
import {
  decodeProcess,
  encodeProcess,
  encodeTimestamp,
  parsedRecord,
  processProperty,
  recordOf,
  textOf,
  unknownProcess,
} from './process-entry.js'

/** A document as the lease container holds it. */
export type LeaseDocument = Readonly<Record<string, unknown>>

export type DecodedLease =
  | { readonly kind: 'lease'; readonly lease: Lease }
  /** This library must not write the document. `reason` names the document and the rule. */
  | { readonly kind: 'refused'; readonly rule: LeaseRefusal; readonly reason: string }

/** The rule that a refused document breaks. */
export type LeaseRefusal =
  | 'malformed'
  | 'unknownVersion'
  | 'unknownMode'
  /** The Java SDK wrote the document, and its continuation tokens have another meaning. */
  | 'javaLease'
  /**
   * An old .NET SDK wrote the document and stored only the id of the range. Look up the range and decode
   * again.
   */
  | 'missingFeedRange'

/** Facts about a document that the document itself does not contain. */
export interface DecodeOptions {
  /** The range of a lease that does not store its range. See `missingFeedRange`. */
  readonly feedRange?: FeedRange
}

/**
 * The path by which the lease container is partitioned. In documents that this library creates, the value at
 * this path is the lease's id.
 */
export type LeasePartitioning = '/id' | '/partitionKey'

/**
 * The names of this library's entries in `properties`, which is the only field for additional data that .NET
 * hosts preserve. .NET hosts do not update these entries when a lease gets another owner. An entry about an
 * owner therefore names that owner, and is void if the lease has another owner.
 */
const firstPositionProperty = 'stepward.firstPosition'
const incarnationProperty = 'stepward.incarnation'
const handoverProperty = 'stepward.handover'

/**
 * Returns the document of a new lease, with the same fields as a document that a .NET host creates. A lease
 * of a whole physical partition has version 0, and its token is the id of the partition. Every other lease
 * has version 1, and its token contains the bounds of its range.
 */
export function encodeNewLease(lease: NewLease, id: string, partitioning: LeasePartitioning): LeaseDocument {
  return {
    id,
    ...(partitioning === '/partitionKey' ? { partitionKey: id } : {}),
    version: lease.leaseToken === leaseTokenOf(lease.feedRange) ? 1 : 0,
    _etag: null,
    LeaseToken: lease.leaseToken,
    FeedRange: { Range: { min: lease.feedRange.min, max: lease.feedRange.max } },
    Owner: null,
    ContinuationToken: lease.continuationToken,
    properties: propertiesOf(lease.properties, { ...unowned, firstPosition: lease.firstPosition }),
    timestamp: null,
    _ts: 0,
    Mode: lease.mode,
  }
}

/**
 * Returns the document from which `lease` was read, updated with the values that a transition may have
 * changed.
 */
export function encodeLease(lease: Lease): LeaseDocument {
  const { document } = lease
  return {
    ...document,
    // The V2 library stores the token of a lease only in another field, but readers need this field too.
    LeaseToken: lease.leaseToken,
    FeedRange: document['FeedRange'] ?? { Range: { min: lease.feedRange.min, max: lease.feedRange.max } },
    Owner: lease.owner,
    ContinuationToken: lease.continuationToken,
    properties: propertiesOf(document['properties'], lease),
    timestamp: encodeTimestamp(lease.timestampMs),
    Mode: lease.mode,
  }
}

/** Decodes a document, or returns the reason why this library must not write the document. */
export function decodeLease(document: LeaseDocument, options: DecodeOptions = {}): DecodedLease {
  const refused = refusal(document)
  if (refused !== null) return refused
  const { id, _etag, _ts, LeaseToken, PartitionId, version } = document
  // A lease from the V2 library may have two fields with a token. As in .NET, `PartitionId` has priority.
  const leaseToken = typeof PartitionId === 'string' ? PartitionId : LeaseToken
  if (typeof leaseToken !== 'string' || leaseToken === '')
    return malformed(id, 'LeaseToken must be a non-empty string')
  if (typeof _etag !== 'string' || typeof _ts !== 'number')
    return malformed(id, '_etag and _ts must be those of a stored document')
  const stored = document['FeedRange']
  const feedRange = isAbsent(stored) ? (options.feedRange ?? null) : decodeFeedRange(stored)
  if (feedRange === null) {
    if (isAbsent(stored) && version !== 1)
      return refuse(
        'missingFeedRange',
        id,
        'it has no FeedRange, and its LeaseToken names no range of the container',
      )
    return malformed(id, 'FeedRange must be { Range: { min, max } } in upper-case hexadecimal')
  }
  const properties = recordOf(document['properties'])
  const owner = ownerOf(document['Owner'])
  return {
    kind: 'lease',
    lease: {
      leaseToken,
      feedRange,
      owner,
      incarnation: decodeIncarnation(properties[incarnationProperty], owner),
      ...decodeProcess(properties[processProperty], owner, document['timestamp']),
      handover: decodeHandover(properties[handoverProperty], owner),
      continuationToken: textOf(document['ContinuationToken']),
      firstPosition: decodeFirstPosition(properties[firstPositionProperty]),
      mode: modeOf(document['Mode']) ?? 'Incremental Feed',
      timestampMs: decodeTimestamp(document['timestamp']),
      storedAtMs: _ts * 1_000,
      etag: _etag,
      document,
    },
  }
}

/** Applies the rules that protect leases of other libraries. Returns null if the document may be written. */
function refusal(document: LeaseDocument): DecodedLease | null {
  const { id, version, Mode, ContinuationToken } = document
  if (typeof id !== 'string') return malformed(id, 'id must be a string')
  if (!isAbsent(version) && version !== 0 && version !== 1)
    return refuse(
      'unknownVersion',
      id,
      `version is ${JSON.stringify(version)}, but this release knows only 0 and 1; use a newer release`,
    )
  if (!isAbsent(Mode) && modeOf(Mode) === null)
    return refuse(
      'unknownMode',
      id,
      `Mode is ${JSON.stringify(Mode)}, but must be "Incremental Feed" or "Full-Fidelity Feed"`,
    )
  const isQuoted = textOf(ContinuationToken)?.startsWith('"') ?? true
  if (!isQuoted || ('feedRange' in document && !('FeedRange' in document)))
    return refuse(
      'javaLease',
      id,
      'it was written by the Java SDK, whose leases cannot be shared; choose another processorName',
    )
  if (!isAbsent(ContinuationToken) && typeof ContinuationToken !== 'string')
    return malformed(id, 'ContinuationToken must be a string or null')
  return null
}

function refuse(rule: LeaseRefusal, id: unknown, explanation: string): DecodedLease {
  return { kind: 'refused', rule, reason: `lease document ${JSON.stringify(id)} is refused: ${explanation}` }
}

function malformed(id: unknown, explanation: string): DecodedLease {
  return refuse('malformed', id, explanation)
}

function decodeFeedRange(stored: unknown): FeedRange | null {
  const { min, max } = recordOf(recordOf(stored)['Range'])
  if (typeof min !== 'string' || typeof max !== 'string') return null
  return isEpkRange({ min, max }) ? { min, max } : null
}

function modeOf(stored: unknown): LeaseMode | null {
  if (typeof stored !== 'string') return null
  const known: readonly LeaseMode[] = ['Incremental Feed', 'Full-Fidelity Feed']
  return known.find((mode) => mode.toLowerCase() === stored.toLowerCase()) ?? null
}

/** Returns the owner. As in .NET, a name of only white space means that there is no owner. */
function ownerOf(stored: unknown): string | null {
  return typeof stored === 'string' && stored.trim() !== '' ? stored : null
}

/** Parses a timestamp. Older Java hosts appended the name of the time zone in brackets. */
function decodeTimestamp(stored: unknown): number | null {
  if (typeof stored !== 'string') return null
  const parsed = Date.parse(stored.replace(/\[.*\]$/, ''))
  return Number.isNaN(parsed) ? null : parsed
}

function decodeFirstPosition(stored: unknown): FirstPosition | null {
  if (typeof stored !== 'string') return null
  if (stored === 'beginning') return { kind: 'beginning' }
  const atMs = Date.parse(stored)
  return Number.isNaN(atMs) ? null : { kind: 'time', atMs }
}

type Ours = Pick<
  Lease,
  | 'firstPosition'
  | 'owner'
  | 'incarnation'
  | 'handover'
  | 'process'
  | 'wakeAddress'
  | 'version'
  | 'serves'
  | 'report'
  | 'unfinishedFrom'
  | 'timestampMs'
>

const unowned = {
  owner: null,
  incarnation: null,
  handover: null,
  timestampMs: null,
  ...unknownProcess,
} as const

function propertiesOf(stored: unknown, ours: Ours): Readonly<Record<string, unknown>> {
  const { firstPosition, owner, incarnation, handover } = ours
  const entry = [ours.process, ours.wakeAddress, ours.version, ours.serves, ours.report, ours.unfinishedFrom]
  return {
    ...foreignProperties(stored),
    ...(firstPosition === null ? {} : { [firstPositionProperty]: encodeFirstPosition(firstPosition) }),
    ...(owner === null || incarnation === null
      ? {}
      : { [incarnationProperty]: JSON.stringify({ owner, incarnation }) }),
    ...(handover === null ? {} : { [handoverProperty]: encodeHandover(owner, handover) }),
    ...(entry.some((part) => part !== null) ? { [processProperty]: encodeProcess(ours) } : {}),
  }
}

/** Returns the entries of a lease's `properties` that other libraries wrote. */
export function foreignProperties(stored: unknown): Readonly<Record<string, unknown>> {
  const {
    [firstPositionProperty]: _first,
    [incarnationProperty]: _incarnation,
    [handoverProperty]: _handover,
    [processProperty]: _process,
    ...foreign
  } = recordOf(stored)
  return foreign
}

function decodeIncarnation(stored: unknown, owner: string | null): string | null {
  const said = parsedRecord(stored)
  return owner !== null && said['owner'] === owner ? textOf(said['incarnation']) : null
}

/** Returns the requester of a hand-over, or null if the lease has changed its owner since the request. */
function decodeHandover(stored: unknown, owner: string | null): LeaseOwner | null {
  const said = parsedRecord(stored)
  const instanceName = textOf(said['instanceName'])
  const incarnation = textOf(said['incarnation'])
  if (said['owner'] !== owner || instanceName === null || incarnation === null) return null
  const process = textOf(said['process'])
  return { instanceName, incarnation, ...(process === null ? {} : { process }) }
}

function encodeHandover(owner: string | null, { instanceName, incarnation, process }: LeaseOwner): string {
  return JSON.stringify({ owner, instanceName, incarnation, process })
}

function encodeFirstPosition(position: FirstPosition): string {
  return position.kind === 'beginning' ? 'beginning' : new Date(position.atMs).toISOString()
}

/** .NET omits some fields that are null, and writes other fields as null. The meaning is the same. */
function isAbsent(value: unknown): boolean {
  return value === undefined || value === null
}
