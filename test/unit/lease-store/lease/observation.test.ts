import { describe, expect, it } from 'vitest'
import { acquire, renew, requestHandover, type Lease } from '../../../../lease-store/index.js'
import { observe } from '../../../../lease-store/internal.js'
import { aLease } from '../../../support/a-lease.js'

const other = { instanceName: 'b', incarnation: 'b-1' }
const owned = acquire(aLease(), { instanceName: 'a', incarnation: 'a-1' }, 1_000)
const written = (lease: Lease, etag: string): Lease => ({ ...lease, etag })

describe('what was seen of a lease', () => {
  it('is nothing at first, and forgotten when it is gone', () => {
    const first = observe(new Map(), [owned], 10)
    expect(first.get('0')).toEqual({
      lease: owned,
      unchangedSinceMs: 10,
      handoverSinceMs: 10,
      aliveAtMs: null,
    })
    expect(observe(first, [], 20).size).toBe(0)
  })

  it('is that nothing changed', () => {
    const seen = observe(observe(new Map(), [owned], 10), [owned], 20)
    expect(seen.get('0')).toMatchObject({ unchangedSinceMs: 10, aliveAtMs: null })
  })

  it('is a sign of life when its owner has written it', () => {
    const first = observe(new Map(), [owned], 10)
    const seen = observe(first, [written(renew(owned, 2_000), '"2"')], 20)
    expect(seen.get('0')).toMatchObject({ unchangedSinceMs: 20, aliveAtMs: 20 })
    expect(observe(seen, [written(renew(owned, 2_000), '"2"')], 30).get('0')?.aliveAtMs).toBe(20)
  })

  it('is none when another has asked for it, or has it', () => {
    const first = observe(new Map(), [owned], 10)
    const asked = written(requestHandover(owned, other), '"2"')
    expect(observe(first, [asked], 20).get('0')).toMatchObject({ unchangedSinceMs: 20, aliveAtMs: null })
    const taken = written(acquire(owned, other, 5_000), '"2"')
    expect(observe(first, [taken], 20).get('0')?.aliveAtMs).toBeNull()
  })

  it('begins again with the next owner, also where neither says which life it is in', () => {
    const dotNet = aLease({ owner: 'net', timestampMs: 1_000 })
    const first = observe(observe(new Map(), [dotNet], 10), [written(renew(dotNet, 2_000), '"2"')], 20)
    expect(first.get('0')?.aliveAtMs).toBe(20)
    const stolen = written({ ...dotNet, owner: 'net-2', timestampMs: 3_000 }, '"3"')
    expect(observe(first, [stolen], 30).get('0')).toMatchObject({ handoverSinceMs: 30, aliveAtMs: null })
    const restarted = written(acquire(owned, { instanceName: 'a', incarnation: 'a-2' }, 5_000), '"3"')
    const again = observe(observe(new Map(), [owned], 10), [restarted], 30)
    expect(again.get('0')).toMatchObject({ handoverSinceMs: 30, aliveAtMs: null })
  })

  it('is no sign of life where no instance owns the lease', () => {
    const free = aLease({ timestampMs: 1_000 })
    const first = observe(new Map(), [free], 10)
    expect(observe(first, [written(renew(free, 2_000), '"2"')], 20).get('0')?.aliveAtMs).toBeNull()
  })

  it('is how long a request waits, whatever its owner writes meanwhile', () => {
    const asked = written(requestHandover(owned, other), '"2"')
    const first = observe(new Map(), [asked], 10)
    const renewed = written(renew(asked, 2_000), '"3"')
    expect(observe(first, [renewed], 20).get('0')?.handoverSinceMs).toBe(10)
    const askedByThird = requestHandover(renewed, { ...other, incarnation: 'b-2' })
    expect(observe(first, [askedByThird], 20).get('0')?.handoverSinceMs).toBe(20)
    const askedByAnother = requestHandover(renewed, { ...other, instanceName: 'c' })
    expect(observe(first, [askedByAnother], 20).get('0')?.handoverSinceMs).toBe(20)
  })
})
