import { describe, expect, it } from 'vitest'
import { Slots } from '../../../src/sas/slots.js'

const never = new AbortController().signal

/** Notes in `order` when this place in line got its slot. */
function inLine(slots: Slots, name: string, order: string[], signal = never): Promise<boolean> {
  return slots.take(signal).then((isTaken) => {
    order.push(isTaken ? name : `${name} left`)
    return isTaken
  })
}

describe('slots', () => {
  it('are given while there are any, then in the order of the line', async () => {
    const slots = new Slots(1)
    const order: string[] = []
    await inLine(slots, 'a', order)
    const waiting = [inLine(slots, 'b', order), inLine(slots, 'c', order)]
    expect(slots.inUse).toBe(1)
    expect(order).toEqual(['a'])
    slots.release()
    await waiting[0]
    expect(order).toEqual(['a', 'b'])
    slots.release()
    await waiting[1]
    expect(order).toEqual(['a', 'b', 'c'])
    expect(slots.inUse).toBe(1)
    slots.release()
    expect(slots.inUse).toBe(0)
  })

  it('are not waited for after the signal aborts, and the next in line moves up', async () => {
    const slots = new Slots(1)
    const order: string[] = []
    const leaving = new AbortController()
    await inLine(slots, 'a', order)
    const waiting = [inLine(slots, 'b', order, leaving.signal), inLine(slots, 'c', order)]
    leaving.abort()
    expect(await waiting[0]).toBe(false)
    slots.release()
    expect(await waiting[1]).toBe(true)
    expect(order).toEqual(['a', 'b left', 'c'])
  })

  it('are not taken by who comes with a signal that has aborted', async () => {
    const slots = new Slots(1)
    expect(await slots.take(AbortSignal.abort())).toBe(false)
    expect(slots.inUse).toBe(0)
  })

  it('stay with who has one when the signal aborts later', async () => {
    const slots = new Slots(1)
    const order: string[] = []
    const later = new AbortController()
    await inLine(slots, 'a', order)
    const waiting = inLine(slots, 'b', order, later.signal)
    slots.release()
    await waiting
    later.abort()
    const next = inLine(slots, 'c', order)
    slots.release()
    await next
    expect(order).toEqual(['a', 'b', 'c'])
  })

  it('are taken at once or not at all by who does not wait', async () => {
    const slots = new Slots(1)
    expect(slots.takeFree()).toBe(true)
    expect(slots.takeFree()).toBe(false)
    slots.release()
    expect(slots.takeFree()).toBe(true)
  })
})
