import { describe, expect, it } from 'vitest'
import {
  acquire,
  checkpoint,
  isOwnedBy,
  release,
  releaseOfDead,
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

  it('contains the wake address of its owner, until the lease has another owner or none', () => {
    const owned = acquire(aLease(), { ...self, wakeAddress: 'http://10.0.0.4#key' }, 1)
    expect(checkpoint(renew(owned, 2), '"7"', 3).wakeAddress).toBe('http://10.0.0.4#key')
    expect(release(owned, 2).wakeAddress).toBeNull()
    expect(acquire(aLease(), { ...self, version: '1.2.3' }, 1).version).toBe('1.2.3')
    expect(release(acquire(aLease(), { ...self, version: '1.2.3' }, 1), 2).version).toBeNull()
    const serving = acquire(aLease(), { ...self, serves: ['bank'] }, 1)
    expect([serving.serves, release(serving, 2).serves]).toEqual([['bank'], null])
    expect(acquire(owned, { instanceName: 'b', incarnation: 'third' }, 2).wakeAddress).toBeNull()
  })

  it('keeps the unfinished work only of an owner that is certainly dead (F-L31)', () => {
    const owned = {
      ...acquire(aLease(), { ...self, process: 'here.1.2' }, 1),
      continuationToken: '"7"',
      unfinishedFrom: '"5"',
    }
    expect(owned.process).toBe('here.1.2')
    const freed = releaseOfDead(owned, 2)
    expect(freed).toMatchObject({ owner: null, process: null, unfinishedFrom: '"5"', timestampMs: 2 })
    const other = { instanceName: 'b', incarnation: 'third' }
    expect(acquire(freed, other, 3)).toMatchObject({ process: null, unfinishedFrom: '"5"' })
    expect(acquire(owned, other, 3).unfinishedFrom).toBeNull()
    expect(release(owned, 2).unfinishedFrom).toBeNull()
    expect(reposition(owned, { continuationToken: null, firstPosition: null }).unfinishedFrom).toBeNull()
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
