import { describe, expect, it } from 'vitest'
import { renew } from '../../../../lease-store/index.js'
import { yieldsTo, observe, duplicateInstanceLease } from '../../../../lease-store/internal.js'
import { aLease } from '../../../support/a-lease.js'

const self = { instanceName: 'a', incarnation: 'life-2' }

/** The lease is seen twice, ten seconds apart, renewed in between or not. */
function seenTwice(
  { instanceName, incarnation }: { instanceName: string | null; incarnation: string | null },
  isRenewed: boolean,
): ReturnType<typeof observe> {
  const lease = aLease({ owner: instanceName, incarnation, timestampMs: 1 })
  const later = isRenewed ? { ...renew(lease, 2), etag: '"2"' } : lease
  return observe(observe(new Map(), [lease], 0), [later], 10_000)
}

describe('two processes of one name (F-L16)', () => {
  it.each([
    { name: 'another life that writes', owner: { ...self, incarnation: 'life-1' }, isTwin: true },
    { name: 'written in other case', owner: { instanceName: 'A', incarnation: 'life-1' }, isTwin: true },
    { name: 'a .NET host, which names no life', owner: { ...self, incarnation: null }, isTwin: false },
    { name: 'no instance', owner: { instanceName: null, incarnation: null }, isTwin: false },
    { name: 'this life', owner: self, isTwin: false },
    { name: 'another name', owner: { instanceName: 'b', incarnation: 'life-1' }, isTwin: false },
  ])('are noticed: $name, $isTwin', ({ owner, isTwin }) => {
    expect(duplicateInstanceLease(seenTwice(owner, true), self, 20_000, 60_000) !== null).toBe(isTwin)
  })

  it('are not assumed when an earlier incarnation no longer renews its leases (F-L17)', () => {
    const dead = { ...self, incarnation: 'life-1' }
    expect(duplicateInstanceLease(seenTwice(dead, false), self, 20_000, 60_000)).toBeNull()
    expect(duplicateInstanceLease(seenTwice(dead, true), self, 69_999, 60_000)).not.toBeNull()
    expect(duplicateInstanceLease(seenTwice(dead, true), self, 70_000, 60_000)).toBeNull()
  })

  it('do not both give way', () => {
    const twin = { ...self, incarnation: 'life-1' }
    expect([yieldsTo(self, twin), yieldsTo(twin, self)]).toEqual([true, false])
    expect(yieldsTo(self, { incarnation: null })).toBe(false)
    expect(yieldsTo(self, self)).toBe(false)
  })
})
