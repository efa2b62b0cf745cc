import type { LeasePartitioning } from './lease-document.js'

/** The values that make up the ids of the documents of one deployment unit, in the format of .NET hosts. */
export interface LeasePrefix {
  readonly processorName: string
  /** The host, without port, of the endpoint with which the monitored container's client was configured. */
  readonly accountHost: string
  /** The `_rid` of the monitored container. */
  readonly containerRid: string
}

/** Returns the text with which every document id of one deployment unit begins. */
export function leasePrefix({ processorName, accountHost, containerRid }: LeasePrefix): string {
  return `${processorName}${accountHost}_${databaseRidOf(containerRid)}_${containerRid}`
}

/** The values that make up the ids of a Java host's documents. These ids contain names instead of `_rid`s. */
export interface JavaLeasePrefix {
  readonly processorName: string
  readonly accountHost: string
  readonly databaseName: string
  readonly containerName: string
}

/**
 * Returns the prefix of the ids that Java's `handleChanges` builds from the names of the database and the
 * container.
 */
export function javaLeasePrefix(names: JavaLeasePrefix): string {
  return `${names.processorName}${names.accountHost}_${names.databaseName}_${names.containerName}`
}

/** Returns the prefix of the ids of a unit's leases. No other document has an id with this prefix. */
export function leaseIdPrefix(prefix: string): string {
  return `${prefix}..`
}

export function leaseDocumentId(prefix: string, leaseToken: string): string {
  return `${leaseIdPrefix(prefix)}${leaseToken}`
}

/** Returns the marker document, which is created after all leases of the unit. */
export function initializationMarker(
  prefix: string,
  partitioning: LeasePartitioning,
): Readonly<Record<string, unknown>> & { readonly id: string } {
  const id = `${prefix}.info`
  return partitioning === '/partitionKey' ? { id, partitionKey: id } : { id }
}

/**
 * Returns the lock document, which only one instance at a time can create. The store removes the lock when
 * its TTL ends.
 */
export function initializationLock(
  prefix: string,
  partitioning: LeasePartitioning,
  ttlSeconds: number,
): Readonly<Record<string, unknown>> & { readonly id: string } {
  const id = `${prefix}.lock`
  return partitioning === '/partitionKey'
    ? { id, partitionKey: id, ttl: ttlSeconds }
    : { id, ttl: ttlSeconds }
}

/**
 * Returns the `_rid` of the database, which is the first four bytes of the `_rid` of each of its containers.
 * Resource ids are base 64 with `-` in place of `/`.
 */
function databaseRidOf(containerRid: string): string {
  const bytes = Buffer.from(containerRid.replaceAll('-', '/'), 'base64').subarray(0, 4)
  return bytes.toString('base64').replaceAll('/', '-')
}
