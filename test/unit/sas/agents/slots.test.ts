import { describe, expect, it } from 'vitest'
import { Slots, type Candidate } from '../../../../src/sas/agents/slots.js'

const never = new AbortController().signal

const anybody: Candidate = { agent: 'shop', priority: 0 }

/** Notes in `order` when this place in line got its slot. */
function inLine(slots: Slots, name: string, order: string[], signal = never): Promise<boolean> {
  return queued(slots, { ...anybody, name, order, signal })
}

function queued(
  slots: Slots,
  {
    name,
    order,
    signal = never,
    ...candidate
  }: Candidate & { name: string; order: string[]; signal?: AbortSignal },
): Promise<boolean> {
  return slots.take(signal, candidate).then((isTaken) => {
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
    slots.release('shop')
    await waiting[0]
    expect(order).toEqual(['a', 'b'])
    slots.release('shop')
    await waiting[1]
    expect(order).toEqual(['a', 'b', 'c'])
    expect(slots.inUse).toBe(1)
    slots.release('shop')
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
    slots.release('shop')
    expect(await waiting[1]).toBe(true)
    expect(order).toEqual(['a', 'b left', 'c'])
  })

  it('are not taken by who comes with a signal that has aborted', async () => {
    const slots = new Slots(1)
    expect(await slots.take(AbortSignal.abort(), anybody)).toBe(false)
    expect(slots.inUse).toBe(0)
  })

  it('stay with who has one when the signal aborts later', async () => {
    const slots = new Slots(1)
    const order: string[] = []
    const later = new AbortController()
    await inLine(slots, 'a', order)
    const waiting = inLine(slots, 'b', order, later.signal)
    slots.release('shop')
    await waiting
    later.abort()
    const next = inLine(slots, 'c', order)
    slots.release('shop')
    await next
    expect(order).toEqual(['a', 'b', 'c'])
  })

  it('are taken at once or not at all by who does not wait', async () => {
    const slots = new Slots(1)
    expect(slots.takeFree('shop')).toBe(true)
    expect(slots.takeFree('shop')).toBe(false)
    slots.release('shop')
    expect(slots.takeFree('shop')).toBe(true)
  })

  it('R126, F-Q10: go to the most urgent in line first, among equals to who came first', async () => {
    const slots = new Slots(1)
    const order: string[] = []
    await inLine(slots, 'first', order)
    const waiting = [0, 5, 9, 5].map((priority, index) =>
      queued(slots, { agent: 'shop', priority, name: `${priority}${'abcd'[index] ?? ''}`, order }),
    )
    for (const last of [2, 1, 3, 0]) {
      slots.release('shop')
      await waiting[last]
    }
    expect(order).toEqual(['first', '9c', '5b', '5d', '0a'])
  })

  it('F-Q10: go to who has waited longest now and then, so that urgent work keeps nothing waiting for ever', async () => {
    const slots = new Slots(1)
    const order: string[] = []
    await inLine(slots, 'first', order)
    const patient = inLine(slots, 'patient', order)
    for (let turn = 0; turn < 8 && !order.includes('patient'); turn += 1) {
      const urgent = queued(slots, { agent: 'shop', priority: 1, name: 'urgent', order })
      slots.release('shop')
      await Promise.race([urgent, patient])
    }
    expect(order).toEqual(['first', ...Array<string>(7).fill('urgent'), 'patient'])
  })

  it('R125: are no more than an agent may have, and it waits for its own alone', async () => {
    const slots = new Slots(3, new Map([['bank', 1]]))
    const order: string[] = []
    const bank = { agent: 'bank', priority: 9, order }
    await queued(slots, { ...bank, name: 'bank 1' })
    const second = queued(slots, { ...bank, name: 'bank 2' })
    await inLine(slots, 'shop 1', order)
    slots.release('shop')
    await inLine(slots, 'shop 2', order)
    expect(order).toEqual(['bank 1', 'shop 1', 'shop 2'])
    slots.release('bank')
    await second
    expect(order.at(-1)).toBe('bank 2')
  })
})
