import type { FeedRange, Lease } from '../../../lease-store/index.js'
import {
  decodeLease,
  javaLeasePrefix,
  leasePrefix,
  type LeaseDocument,
  type LeaseRefusal,
} from '../../../lease-store/internal.js'
import { compare } from '../../platform/internal.js'

/** A document among a unit's leases that a processor must not write. */
export interface RefusedDocument {
  readonly id: string
  readonly rule: LeaseRefusal
  readonly reason: string
  readonly document: LeaseDocument
}

/** The documents of one deployment unit in a lease container. Any SDK may have written them. */
export interface UnitDocuments {
  /** The processor name, or null if another spelling of the account hides the end of the name. */
  readonly processorName: string | null
  /** The text with which the ids of all the unit's documents begin. */
  readonly prefix: string
  readonly leases: readonly Lease[]
  readonly refused: readonly RefusedDocument[]
  /**
   * Whether the unit belongs to Java hosts, judged by the ids of its documents or by the contents of its
   * leases.
   */
  readonly isJavas: boolean
  /** Whether a `.info` document exists, which means that the leases were created. */
  readonly isInitialized: boolean
  /**
   * The store's time when `.lock` was written, in milliseconds since the epoch, or null if there is no lock.
   */
  readonly lockedAtMs: number | null
}

/** The container whose units are searched, and this client's spelling of the account's name. */
export interface MonitoredNames {
  readonly accountHost: string
  readonly containerRid: string
  readonly databaseName: string
  readonly containerName: string
  /** The physical ranges, for leases of old .NET hosts, which store only the id of their range. */
  readonly physicalRanges: readonly (FeedRange & { readonly id: string })[]
}

/** Returns the deployment units of one monitored container. Omits documents of other containers' units. */
export function unitsOf(documents: readonly LeaseDocument[], names: MonitoredNames): UnitDocuments[] {
  const byPrefix = new Map<string, LeaseDocument[]>()
  for (const document of documents) {
    const prefix = prefixOf(document['id'], names)
    if (prefix === null) continue
    byPrefix.set(prefix, [...(byPrefix.get(prefix) ?? []), document])
  }
  return [...byPrefix]
    .map(([prefix, own]) => unitOf(prefix, own, names))
    .sort((left, right) => compare(left.prefix, right.prefix))
}

/**
 * Returns the id without the token, `.info` or `.lock` at its end, or null if the id is not that of a unit's
 * document. Ids of older Java leases contain names instead of `_rid`s.
 */
function prefixOf(id: unknown, names: MonitoredNames): string | null {
  if (typeof id !== 'string') return null
  for (const ending of endings(names)) {
    const at = id.indexOf(ending)
    if (at >= 0 && /^(\.\.|\.info$|\.lock$)/.test(id.slice(at + ending.length)))
      return id.slice(0, at + ending.length)
  }
  return null
}

function isNamedAsByJava(id: string, names: MonitoredNames): boolean {
  const [byRid = '', byName = ''] = endings(names)
  return !id.includes(byRid) && id.includes(byName)
}

function endings({ containerRid, databaseName, containerName }: MonitoredNames): readonly string[] {
  return [
    leasePrefix({ processorName: '', accountHost: '', containerRid }),
    javaLeasePrefix({ processorName: '', accountHost: '', databaseName, containerName }),
  ]
}

function unitOf(prefix: string, documents: readonly LeaseDocument[], names: MonitoredNames): UnitDocuments {
  const leases: Lease[] = []
  const refused: RefusedDocument[] = []
  for (const document of documents) {
    const id = String(document['id'])
    if (!id.startsWith(`${prefix}..`)) continue
    const decoded = decode(document, names)
    if (decoded.kind === 'lease') leases.push(decoded.lease)
    else refused.push({ id, rule: decoded.rule, reason: decoded.reason, document })
  }
  const isNamedByJava = documents.some(({ id }) => isNamedAsByJava(String(id), names))
  const hasOnlyJavas = refused.length > 0 && refused.every(({ rule }) => rule === 'javaLease')
  const lock = documents.find(({ id }) => id === `${prefix}.lock`)
  return {
    processorName: processorNameOf(prefix, names),
    prefix,
    leases: leases.sort((left, right) => compare(left.feedRange.min, right.feedRange.min)),
    refused,
    isJavas: isNamedByJava || (leases.length === 0 && hasOnlyJavas),
    isInitialized: documents.some(({ id }) => id === `${prefix}.info`),
    lockedAtMs: lock === undefined ? null : Number(lock['_ts']) * 1_000,
  }
}

function decode(document: LeaseDocument, names: MonitoredNames): ReturnType<typeof decodeLease> {
  if (isNamedAsByJava(String(document['id']), names))
    return {
      kind: 'refused',
      rule: 'javaLease',
      reason:
        `lease document ${JSON.stringify(document['id'])} is refused: its id has the form that ` +
        'the Java SDK uses',
    }
  const token = document['PartitionId'] ?? document['LeaseToken']
  const feedRange = names.physicalRanges.find(({ id }) => id === token)
  return decodeLease(document, feedRange === undefined ? {} : { feedRange })
}

function processorNameOf(prefix: string, names: MonitoredNames): string | null {
  for (const ending of endings(names)) {
    const end = `${names.accountHost}${ending}`
    if (prefix.endsWith(end)) return prefix.slice(0, -end.length)
  }
  return null
}
