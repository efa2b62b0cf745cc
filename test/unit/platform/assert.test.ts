import { describe, expect, it } from 'vitest'
import { assert, AssertionError, assertNever } from '../../../src/platform/internal.js'

describe('assert', () => {
  it('lets a true condition pass', () => {
    expect(() => {
      assert(1 + 1 === 2, 'arithmetic')
    }).not.toThrow()
  })

  it('throws an AssertionError with its message for a false condition', () => {
    const broken = (): void => {
      assert(1 + 1 === 3, 'a lease has one owner')
    }
    expect(broken).toThrow(AssertionError)
    expect(broken).toThrow(
      expect.objectContaining({ name: 'AssertionError', message: 'a lease has one owner' }),
    )
  })
})

describe('assertNever', () => {
  it('throws an error that names the unexpected value', () => {
    const foreign = JSON.parse('{"kind":"merged"}') as never
    expect(() => assertNever(foreign)).toThrow(new AssertionError('unexpected value {"kind":"merged"}'))
  })
})
