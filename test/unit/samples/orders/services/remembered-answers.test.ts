import { describe, expect, it, vi } from 'vitest'
import { RememberedAnswers } from '../../../../../samples/orders/services/remembered-answers.js'

const created = { status: 201, body: { chargeId: 'charge-1' } }

describe('RememberedAnswers', () => {
  it('works once for a key, and then repeats the answer', () => {
    const memory = new RememberedAnswers()
    const work = vi.fn(() => created)
    expect(memory.give('k', { amount: 5 }, work)).toEqual({ answer: created, isFromMemory: false })
    expect(memory.give('k', { amount: 5 }, work)).toEqual({ answer: created, isFromMemory: true })
    expect(work).toHaveBeenCalledTimes(1)
  })

  it('does not remember a refusal, which has no effect', () => {
    const memory = new RememberedAnswers()
    const outOfStock = { status: 409, body: { code: 'out-of-stock' } }
    memory.give('k', {}, () => outOfStock)
    expect(memory.give('k', {}, () => created).answer).toEqual(created)
    expect(memory.give('k', {}, () => outOfStock).answer, 'an effect').toEqual(created)
  })

  it('treats the same fields in another order as the same request', () => {
    const memory = new RememberedAnswers()
    memory.give('k', { a: 1, b: { c: 2, d: 3 } }, () => created)
    expect(memory.give('k', { b: { d: 3, c: 2 }, a: 1 }, () => created).isFromMemory).toBe(true)
  })

  it('rejects a key with another request, and still answers the first one', () => {
    const memory = new RememberedAnswers()
    const work = vi.fn(() => created)
    memory.give('k', { amount: 5 }, work)
    const refused = memory.give('k', { amount: 6 }, work)
    expect(refused).toMatchObject({
      answer: { status: 422, body: { code: 'key-reused' } },
      isFromMemory: false,
    })
    expect(work).toHaveBeenCalledTimes(1)
    expect(memory.give('k', { amount: 5 }, work).answer).toEqual(created)
  })

  it('distinguishes keys', () => {
    const memory = new RememberedAnswers()
    memory.give('k', {}, () => created)
    expect(memory.give('l', {}, () => created).isFromMemory).toBe(false)
  })
})
