import {
  decisionsOfLimitId,
  gateDocumentId,
  limitDecisionsId,
  waiterDocumentId,
} from '../model/document-ids.js'
import type { Turn } from '../model/gate-parts.js'
import { hashOf } from '../plan/payload.js'
import type { DocumentAddress } from '../store/state-store.js'

/**
 * The keys of limits of jobs begin with this text. So all jobs and steps come to their gates in the same order, first
 * to those of jobs, and no two of them wait for each other.
 */
export const jobKeyPrefix = 'jobs:'

/** Checks whether the key is that of a limit of jobs. */
export function isLimitOfJobs(key: string): boolean {
  return key.startsWith(jobKeyPrefix)
}

/** The keys of the limits of one partition begin with this text. The name of the limit and the partition key follow. */
export const partitionKeyPrefix = 'partition:'

/** Returns the key of a limit of one partition. */
export function keyInPartition(name: string, pk: string): string {
  const escaped = name.replaceAll('~', '~7e').replaceAll(':', '~3a')
  return `${partitionKeyPrefix}${escaped}:${pk}`
}

/** Returns how the keys of all partitions begin, if a definition has this key and `perPartition`. */
export function beginningInPartitions(key: string): string {
  const isOfJobs = isLimitOfJobs(key)
  const name = isOfJobs ? key.slice(jobKeyPrefix.length) : key
  return `${isOfJobs ? jobKeyPrefix : ''}${keyInPartition(name, '')}`
}

/**
 * Returns the partition whose jobs share the gate of this key, or null if the gate has a partition of its own. The key
 * alone decides, so every process looks for a gate in the same place.
 */
export function homeOf(key: string): string | null {
  return partsOf(key)?.pk ?? null
}

/** The longest name that is part of ids as it is. An id of a waiter also has its group, and at most 1,023 bytes. */
const maxNameInIds = 100

/** Divides the key of a limit of one partition into its name in ids there and the partition key. */
function partsOf(key: string): { readonly name: string; readonly pk: string } | null {
  const start = key.startsWith(jobKeyPrefix) ? jobKeyPrefix.length : 0
  if (!key.startsWith(partitionKeyPrefix, start)) return null
  const begin = start + partitionKeyPrefix.length
  const end = key.indexOf(':', begin)
  if (end <= begin || end === key.length - 1) return null
  const name = key.slice(0, end)
  const ofIds = name.length > maxNameInIds ? `${key.slice(0, begin)}:${hashOf(name)}` : name
  return { name: ofIds, pk: key.slice(end + 1) }
}

/** Returns the address of the gate of this key. In the partition of its jobs, its id needs no partition key. */
export function gateAddress(key: string): DocumentAddress {
  const parts = partsOf(key)
  const id = gateDocumentId(parts?.name ?? key)
  return { pk: parts?.pk ?? id, id }
}

export function waiterAddress(key: string, turn: Turn): DocumentAddress {
  return { pk: gateAddress(key).pk, id: waiterDocumentId(turn, partsOf(key)?.name ?? null) }
}

/** Returns the address of the decisions of operators about the limit of this key. */
export function decisionsAddress(key: string): DocumentAddress {
  const parts = partsOf(key)
  return {
    pk: gateAddress(key).pk,
    id: parts === null ? limitDecisionsId : decisionsOfLimitId(parts.name),
  }
}
