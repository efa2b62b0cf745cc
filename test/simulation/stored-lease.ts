import { decodeLease, type Lease } from '../../lease-store/index.js'
import type { VersionFields } from '../../src/emulator/engine/index.js'

/** A lease in the lease container; null for its other documents. */
export function leaseIn(version: VersionFields | null): Lease | null {
  if (version === null || !version.id.includes('..')) return null
  const decoded = decodeLease(documentIn(version))
  return decoded.kind === 'lease' ? decoded.lease : null
}

export function lsnOf(continuationToken: string): number {
  return Number(continuationToken.replaceAll('"', ''))
}

export function documentIn(version: VersionFields): Readonly<Record<string, unknown>> {
  return JSON.parse(version.text) as Readonly<Record<string, unknown>>
}
