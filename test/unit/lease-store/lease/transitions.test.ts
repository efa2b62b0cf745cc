import { describe, expect, it } from 'vitest'
import {
  acquire,
  checkpoint,
  isOwnedBy,
  release,
  renew,
  reposition,
  requestHandover,
} from '../../../../lease-store/index.js'
import { isSameOwner } from '../../../../lease-store/internal.js'
import { aLease } from '../../../support/a-lease.js'

const self = { instanceName: 'a', incarnation: 'first' }

describe('a lease', () => {
  it('carries the time of each write when acquired, renewed, checkpointed and released', () => {
    const free = aLease()
    const acquired = acquire(free, self, 1)
    expect(acquired).toEqual({ ...free, owner: 'a', incarnation: 'first', timestampMs: 1 })
    expect(renew(acquired, 2)).toEqual({ ...acquired, timestampMs: 2 })
    const read = checkpoint(acquired, '"7"', 3)
    expect(read).toEqual({ ...acquired, continuationToken: '"7"', timestampMs: 3 })
    expect(release(read, 4)).toEqual({ ...free, continuationToken: '"7"', timestampMs: 4 })
  })

  it('keeps its timestamp at a handover request, which stays until the requester acquires the lease', () => {
    const owned = acquire(aLease(), self, 1)
    const other = { instanceName: 'b', incarnation: 'third' }
    const asked = requestHandover(owned, other)
    expect(asked).toEqual({ ...owned, handover: other })
    expect(release(asked, 2)).toMatchObject({ owner: null, handover: other })
    expect(acquire(release(asked, 2), other, 3)).toMatchObject({ owner: 'b', handover: null })
  })

  it('keeps its owner when it is moved to another position', () => {
    const owned = checkpoint(acquire(aLease(), self, 1), '"7"', 2)
    const position = { continuationToken: null, firstPosition: { kind: 'time', atMs: 9 } } as const
    expect(reposition(owned, position)).toEqual({ ...owned, ...position })
  })

  it('has the same owner only if instance name and incarnation are the same', () => {
    expect(isSameOwner(self, { ...self })).toBe(true)
    expect(isSameOwner(self, { ...self, incarnation: 'second' })).toBe(false)
    expect(isSameOwner(self, { ...self, instanceName: 'b' })).toBe(false)
  })

  it('is owned by one incarnation of one instance (B135)', () => {
    const acquired = acquire(aLease(), self, 1)
    expect(isOwnedBy(acquired, self)).toBe(true)
    expect(isOwnedBy(acquired, { ...self, incarnation: 'second' })).toBe(false)
    expect(isOwnedBy(acquired, { ...self, instanceName: 'A' })).toBe(false)
  })
})
