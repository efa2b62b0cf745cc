import type { Lease, NewLease } from '../../lease-store/index.js'
import { decodeLease, encodeNewLease, type DecodedLease } from '../../lease-store/internal.js'

/** Returns a free lease of the whole key space, stored at the epoch, with overrides. */
export function aLease(overrides: Partial<Lease> = {}): Lease {
  const leaseToken = overrides.leaseToken ?? '0'
  const stored = encodeNewLease(
    { ...aNewLease({ leaseToken }), feedRange: overrides.feedRange ?? { min: '', max: 'FF' } },
    `unit..${leaseToken}`,
    '/id',
  )
  return { ...leaseOf(decodeLease({ ...stored, _etag: '"1"', _ts: 0 })), ...overrides }
}

/** Returns the bootstrapper's new lease: range 0 as the whole key space, from the beginning. */
export function aNewLease(overrides: Partial<NewLease> = {}): NewLease {
  return {
    leaseToken: '0',
    feedRange: { min: '', max: 'FF' },
    continuationToken: null,
    firstPosition: { kind: 'beginning' },
    mode: 'Incremental Feed',
    ...overrides,
  }
}

/** Returns the lease of a decoded document. Throws if the document was refused. */
export function leaseOf(decoded: DecodedLease): Lease {
  if (decoded.kind === 'refused') throw new Error(decoded.reason)
  return decoded.lease
}
