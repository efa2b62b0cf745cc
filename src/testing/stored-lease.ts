import { decodeLease, type Lease } from '../../lease-store/index.js'
import type { VersionFields } from '../emulator/engine/index.js'

/** A lease in the lease container; null for its other documents. */
export function leaseIn(version: VersionFields | null): Lease | null {
  if (version?.id.includes('..') !== true) return null
  const decoded = decodeLease(documentIn(version))
  return decoded.kind === 'lease' ? decoded.lease : null
}

/** How far a lease was read; 0 when it was not. */
export function lsnOf(continuationToken: string | null): number {
  return continuationToken === null ? 0 : Number(continuationToken.replaceAll('"', ''))
}

export function documentIn(version: VersionFields): Readonly<Record<string, unknown>> {
  return JSON.parse(version.text) as Readonly<Record<string, unknown>>
}
