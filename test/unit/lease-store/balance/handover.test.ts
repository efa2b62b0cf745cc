import { describe, expect, it } from 'vitest'
import { acquire, release, requestHandover, type Lease } from '../../../../lease-store/index.js'
import { lapsed, observe, unanswered, type HandoverPatience } from '../../../../lease-store/internal.js'
import { aLease } from '../../../support/a-lease.js'

const self = { instanceName: 'a', incarnation: 'a-1' }
const other = { instanceName: 'b', incarnation: 'b-1' }
const dotNet = aLease({ owner: 'net' })

function patience(leases: readonly Lease[], waitedMs: number): HandoverPatience {
  return {
    self,
    observations: observe(new Map(), leases, 1_000),
    monotonicMs: 1_000 + waitedMs,
    storeTimeMs: null,
    leaseRenewIntervalMs: 13_000,
    leaseAcquireIntervalMs: 17_000,
  }
}

describe('a hand-over request without an answer', () => {
  it.each([
    { name: 'a .NET host', lease: requestHandover(dotNet, self), waitedMs: 26_001, isTaken: true },
    { name: 'a .NET host, not yet', lease: requestHandover(dotNet, self), waitedMs: 26_000, isTaken: false },
    {
      name: 'another’s request',
      lease: requestHandover(dotNet, other),
      waitedMs: 999_999,
      isTaken: false,
    },
    { name: 'no request', lease: dotNet, waitedMs: 999_999, isTaken: false },
    {
      name: 'an owner that will answer when its page is done',
      lease: requestHandover(acquire(dotNet, other, 0), self),
      waitedMs: 999_999,
      isTaken: false,
    },
    {
      name: 'a lease that is free',
      lease: release(requestHandover(dotNet, self), 0),
      waitedMs: 999_999,
      isTaken: false,
    },
  ])('lets the lease be taken: $name, $isTaken', ({ lease, waitedMs, isTaken }) => {
    expect(unanswered([lease], patience([lease], waitedMs)).has('0')).toBe(isTaken)
  })

  it('does not count as waiting before it was seen', () => {
    const lease = requestHandover(dotNet, self)
    expect(unanswered([lease], patience([], 999_999)).size).toBe(0)
  })
})

describe('a hand-over request whose requester does not come', () => {
  const pending = requestHandover(acquire(dotNet, self, 0), other)
  const kept = { ...release(pending, 0), storedAtMs: 100_000 }

  it.each([
    { name: 'pending', lease: pending, waitedMs: 60_000, isLapsed: false },
    { name: 'pending too long', lease: pending, waitedMs: 60_001, isLapsed: true },
    { name: 'kept', lease: kept, waitedMs: 34_000, isLapsed: false },
    { name: 'kept too long', lease: kept, waitedMs: 34_001, isLapsed: true },
    { name: 'one’s own', lease: requestHandover(dotNet, self), waitedMs: 999_999, isLapsed: false },
    { name: 'none', lease: dotNet, waitedMs: 999_999, isLapsed: false },
  ])('lapses: $name, $isLapsed', ({ lease, waitedMs, isLapsed }) => {
    expect(lapsed([lease], patience([lease], waitedMs)).has('0')).toBe(isLapsed)
  })

  it('lapses at once when it is old by the store’s clock, as after an outage', () => {
    const at = (storeTimeMs: number): HandoverPatience => ({ ...patience([kept], 0), storeTimeMs })
    expect(lapsed([kept], at(134_000)).size).toBe(0)
    expect(lapsed([kept], at(135_000))).toEqual(new Set(['0']))
  })
})
