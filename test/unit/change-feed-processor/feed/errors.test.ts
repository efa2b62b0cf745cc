import { describe, expect, it } from 'vitest'
import { DelegateError, LeaseLostError } from '../../../../src/change-feed-processor/index.js'

describe('errors that users get', () => {
  it('mark a lost lease by class, name and code, and name the lease (B278, B279)', () => {
    const error: unknown = new LeaseLostError('AA-BB')
    expect(error).toBeInstanceOf(Error)
    expect(error).toBeInstanceOf(LeaseLostError)
    expect(error).toMatchObject({
      name: 'LeaseLostError',
      code: 'LEASE_LOST',
      statusCode: 412,
      leaseToken: 'AA-BB',
    })
    expect(String(error)).toMatch(/^LeaseLostError: lease "AA-BB" is no longer held/)
  })

  it.each([
    [new RangeError('no such shelf'), 'no such shelf'],
    ['text', 'text'],
    [undefined, 'undefined'],
  ])('contain what a delegate threw, and the lease: %s (B283)', (cause, text) => {
    const error = new DelegateError('AA-BB', cause)
    expect(error).toMatchObject({ name: 'DelegateError', leaseToken: 'AA-BB', cause })
    expect(error.message).toBe(`the delegate failed on lease "AA-BB": ${text}`)
  })
})
