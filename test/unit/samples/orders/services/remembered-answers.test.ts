import { describe, expect, it, vi } from 'vitest'
import { RememberedAnswers } from '../../../../../samples/orders/services/remembered-answers.js'

const created = { status: 201, body: { chargeId: 'charge-1' } }

describe('RememberedAnswers', () => {
  it('works once for a key and gives the same answer ever after', () => {
    const memory = new RememberedAnswers()
    const work = vi.fn(() => created)
    expect(memory.give('k', { amount: 5 }, work)).toEqual({ answer: created, isFromMemory: false })
    expect(memory.give('k', { amount: 5 }, work)).toEqual({ answer: created, isFromMemory: true })
    expect(work).toHaveBeenCalledTimes(1)
  })

  it('does not remember a refusal, which did nothing', () => {
    const memory = new RememberedAnswers()
    const outOfStock = { status: 409, body: { code: 'out-of-stock' } }
    memory.give('k', {}, () => outOfStock)
    expect(memory.give('k', {}, () => created).answer).toEqual(created)
    expect(memory.give('k', {}, () => outOfStock).answer, 'an effect').toEqual(created)
  })

  it('takes the same fields in another order for the same request', () => {
    const memory = new RememberedAnswers()
    memory.give('k', { a: 1, b: { c: 2, d: 3 } }, () => created)
    expect(memory.give('k', { b: { d: 3, c: 2 }, a: 1 }, () => created).isFromMemory).toBe(true)
  })

  it('refuses a key that came before with another request, and goes on answering the first', () => {
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

  it('keeps keys apart', () => {
    const memory = new RememberedAnswers()
    memory.give('k', {}, () => created)
    expect(memory.give('l', {}, () => created).isFromMemory).toBe(false)
  })
})
