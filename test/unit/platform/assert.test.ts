import { describe, expect, it } from 'vitest'
import { assert, AssertionError, assertNever } from '../../../src/platform/internal.js'

describe('assert', () => {
  it('lets a true condition pass', () => {
    expect(() => {
      assert(1 + 1 === 2, 'arithmetic')
    }).not.toThrow()
  })

  it('throws what reasoning excludes, by its own name', () => {
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
  it('names the value that should not exist', () => {
    const foreign = JSON.parse('{"kind":"merged"}') as never
    expect(() => assertNever(foreign)).toThrow(new AssertionError('unexpected value {"kind":"merged"}'))
  })
})
