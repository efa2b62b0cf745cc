import { describe, expect, it } from 'vitest'
import {
  acquire,
  checkpoint,
  isOwnedBy,
  release,
  renew,
  requestHandover,
} from '../../../lease-store/index.js'
import { aLease } from '../../support/a-lease.js'

const self = { instanceName: 'a', incarnation: 'first' }

describe('a lease', () => {
  it('is acquired, renewed, checkpointed and released, each write carrying the time', () => {
    const free = aLease()
    const acquired = acquire(free, self, 1)
    expect(acquired).toEqual({ ...free, owner: 'a', incarnation: 'first', timestampMs: 1 })
    expect(renew(acquired, 2)).toEqual({ ...acquired, timestampMs: 2 })
    const read = checkpoint(acquired, '"7"', 3)
    expect(read).toEqual({ ...acquired, continuationToken: '"7"', timestampMs: 3 })
    expect(release(read, 4)).toEqual({ ...free, continuationToken: '"7"', timestampMs: 4 })
  })

  it('is asked for without a sign of life of its owner, kept for who asked, and theirs', () => {
    const owned = acquire(aLease(), self, 1)
    const other = { instanceName: 'b', incarnation: 'third' }
    const asked = requestHandover(owned, other)
    expect(asked).toEqual({ ...owned, handover: other })
    expect(release(asked, 2)).toMatchObject({ owner: null, handover: other })
    expect(acquire(release(asked, 2), other, 3)).toMatchObject({ owner: 'b', handover: null })
  })

  it('belongs to one life of one instance (B135)', () => {
    const acquired = acquire(aLease(), self, 1)
    expect(isOwnedBy(acquired, self)).toBe(true)
    expect(isOwnedBy(acquired, { ...self, incarnation: 'second' })).toBe(false)
    expect(isOwnedBy(acquired, { ...self, instanceName: 'A' })).toBe(false)
  })
})
