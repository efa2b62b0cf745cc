import type { Lease } from '../../lease-store/index.js'
import { decodeLease } from '../../lease-store/internal.js'
import type { VersionFields } from '../emulator/engine/index.js'

/** Returns the lease in a document of the lease container, or null for any other document. */
export function leaseIn(version: VersionFields | null): Lease | null {
  if (version?.id.includes('..') !== true) return null
  const decoded = decodeLease(documentIn(version))
  return decoded.kind === 'lease' ? decoded.lease : null
}

/** Returns the LSN of a continuation token, or 0 without a token. */
export function lsnOf(continuationToken: string | null): number {
  return continuationToken === null ? 0 : Number(continuationToken.replaceAll('"', ''))
}

export function documentIn(version: VersionFields): Readonly<Record<string, unknown>> {
  return JSON.parse(version.text) as Readonly<Record<string, unknown>>
}
