import type { LeasePartitioning } from './lease-document.js'

/** The values from which the documents of one deployment unit get their ids, as .NET hosts name them. */
export interface LeasePrefix {
  readonly processorName: string
  /** Host part of the endpoint the monitored container's client was configured with, without port. */
  readonly accountHost: string
  /** `_rid` of the monitored container. */
  readonly containerRid: string
}

/** Returns the text with which every document id of one deployment unit begins. */
export function leasePrefix({ processorName, accountHost, containerRid }: LeasePrefix): string {
  return `${processorName}${accountHost}_${databaseRidOf(containerRid)}_${containerRid}`
}

/**
 * The parts of the ids of a Java host's documents if it uses names of database and container, not their
 * `_rid`s.
 */
export interface JavaLeasePrefix {
  readonly processorName: string
  readonly accountHost: string
  readonly databaseName: string
  readonly containerName: string
}

/** Returns the prefix of documents that a Java host names by database and container (`handleChanges`). */
export function javaLeasePrefix(names: JavaLeasePrefix): string {
  return `${names.processorName}${names.accountHost}_${names.databaseName}_${names.containerName}`
}

/** Returns the prefix of the ids of a unit's leases. No other document has it. */
export function leaseIdPrefix(prefix: string): string {
  return `${prefix}..`
}

/** Returns the id of a lease's document. */
export function leaseDocumentId(prefix: string, leaseToken: string): string {
  return `${leaseIdPrefix(prefix)}${leaseToken}`
}

/** Returns the marker document. It exists once the leases of this unit have been created. */
export function initializationMarker(
  prefix: string,
  partitioning: LeasePartitioning,
): Readonly<Record<string, unknown>> & { readonly id: string } {
  const id = `${prefix}.info`
  return partitioning === '/partitionKey' ? { id, partitionKey: id } : { id }
}

/**
 * Returns the lock document. Only one instance can create it, and the store removes it `ttlSeconds` later.
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
 * Returns the database's `_rid`: the first four bytes of those of its containers. In resource ids `-` stands
 * for the `/` of base 64.
 */
function databaseRidOf(containerRid: string): string {
  const bytes = Buffer.from(containerRid.replaceAll('-', '/'), 'base64').subarray(0, 4)
  return bytes.toString('base64').replaceAll('/', '-')
}
