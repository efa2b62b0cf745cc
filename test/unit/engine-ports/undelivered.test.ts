import { describe, expect, it } from 'vitest'
import { Undelivered } from '../../../src/engine-ports/undelivered.js'

const mebibyte = 2 ** 20

function begun(): Undelivered<string, string> {
  const undelivered = new Undelivered<string, string>()
  undelivered.begin()
  return undelivered
}

const entry = (version: string, bytes = 1_000) => ({ version, value: `document ${version}`, bytes })

describe('documents that the feed has not delivered', () => {
  it('are returned once, by their version', () => {
    const undelivered = begun()
    undelivered.put('a', entry('1'))
    expect(undelivered.take('a', '1')).toBe('document 1')
    expect(undelivered.take('a', '1')).toBeUndefined()
  })

  it('are not returned for another version, which the feed delivers with its text', () => {
    const undelivered = begun()
    undelivered.put('a', entry('1'))
    expect(undelivered.take('a', '2')).toBeUndefined()
    expect(undelivered.take('a', '1')).toBe('document 1')
  })

  it('are kept only in their newest version', () => {
    const undelivered = begun()
    undelivered.put('a', entry('1'))
    undelivered.put('a', entry('2'))
    expect(undelivered.take('a', '1')).toBeUndefined()
    expect(undelivered.take('a', '2')).toBe('document 2')
  })

  it('are kept up to 4 MiB of JSON, the newest of them', () => {
    const undelivered = begun()
    for (const key of ['a', 'b', 'c', 'd', 'e']) undelivered.put(key, entry('1', mebibyte))
    expect(undelivered.take('a', '1')).toBeUndefined()
    for (const key of ['b', 'c', 'd', 'e']) expect(undelivered.take(key, '1')).toBe('document 1')
  })

  it('make room when they are returned or replaced', () => {
    const undelivered = begun()
    for (const key of ['a', 'b', 'c', 'd']) undelivered.put(key, entry('1', mebibyte))
    undelivered.take('d', '1')
    undelivered.put('c', entry('2', mebibyte))
    undelivered.put('e', entry('1', mebibyte))
    for (const key of ['a', 'b', 'e']) expect(undelivered.take(key, '1')).toBe('document 1')
  })

  it('are not kept if one alone is too large', () => {
    const undelivered = begun()
    undelivered.put('a', entry('1', 5 * mebibyte))
    expect(undelivered.take('a', '1')).toBeUndefined()
  })

  it('are not kept before a feed is read, and all are forgotten together', () => {
    const undelivered = new Undelivered<string, string>()
    undelivered.put('a', entry('1'))
    undelivered.begin()
    expect(undelivered.take('a', '1')).toBeUndefined()
    undelivered.put('a', entry('1'))
    undelivered.clear()
    expect(undelivered.take('a', '1')).toBeUndefined()
  })
})
