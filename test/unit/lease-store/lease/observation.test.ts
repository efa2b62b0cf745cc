import { describe, expect, it } from 'vitest'
import { acquire, renew, requestHandover, type Lease } from '../../../../lease-store/index.js'
import { observe } from '../../../../lease-store/internal.js'
import { aLease } from '../../../support/a-lease.js'

const other = { instanceName: 'b', incarnation: 'b-1' }
const owned = acquire(aLease(), { instanceName: 'a', incarnation: 'a-1' }, 1_000)
const written = (lease: Lease, etag: string): Lease => ({ ...lease, etag })

describe('an observation of a lease', () => {
  it('begins without a sign of life, and is forgotten when the lease is gone', () => {
    const first = observe(new Map(), [owned], 10)
    expect(first.get('0')).toEqual({
      lease: owned,
      unchangedSinceMs: 10,
      handoverSinceMs: 10,
      aliveAtMs: null,
    })
    expect(observe(first, [], 20).size).toBe(0)
  })

  it('keeps the time since which the lease has not changed', () => {
    const seen = observe(observe(new Map(), [owned], 10), [owned], 20)
    expect(seen.get('0')).toMatchObject({ unchangedSinceMs: 10, aliveAtMs: null })
  })

  it('records a sign of life when the owner has written the lease', () => {
    const first = observe(new Map(), [owned], 10)
    const seen = observe(first, [written(renew(owned, 2_000), '"2"')], 20)
    expect(seen.get('0')).toMatchObject({ unchangedSinceMs: 20, aliveAtMs: 20 })
    expect(observe(seen, [written(renew(owned, 2_000), '"2"')], 30).get('0')?.aliveAtMs).toBe(20)
  })

  it('records no sign of life when another instance has requested or acquired the lease', () => {
    const first = observe(new Map(), [owned], 10)
    const asked = written(requestHandover(owned, other), '"2"')
    expect(observe(first, [asked], 20).get('0')).toMatchObject({ unchangedSinceMs: 20, aliveAtMs: null })
    const taken = written(acquire(owned, other, 5_000), '"2"')
    expect(observe(first, [taken], 20).get('0')?.aliveAtMs).toBeNull()
  })

  it('begins again with the next owner, even without incarnations, and with the next incarnation', () => {
    const dotNet = aLease({ owner: 'net', timestampMs: 1_000 })
    const first = observe(observe(new Map(), [dotNet], 10), [written(renew(dotNet, 2_000), '"2"')], 20)
    expect(first.get('0')?.aliveAtMs).toBe(20)
    const stolen = written({ ...dotNet, owner: 'net-2', timestampMs: 3_000 }, '"3"')
    expect(observe(first, [stolen], 30).get('0')).toMatchObject({ handoverSinceMs: 30, aliveAtMs: null })
    const restarted = written(acquire(owned, { instanceName: 'a', incarnation: 'a-2' }, 5_000), '"3"')
    const again = observe(observe(new Map(), [owned], 10), [restarted], 30)
    expect(again.get('0')).toMatchObject({ handoverSinceMs: 30, aliveAtMs: null })
  })

  it('records no sign of life while no instance owns the lease', () => {
    const free = aLease({ timestampMs: 1_000 })
    const first = observe(new Map(), [free], 10)
    expect(observe(first, [written(renew(free, 2_000), '"2"')], 20).get('0')?.aliveAtMs).toBeNull()
  })

  it('keeps the start of a handover request, whatever the owner writes, until the request changes', () => {
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
