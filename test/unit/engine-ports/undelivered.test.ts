import { describe, expect, it } from 'vitest'
import { Undelivered } from '../../../src/engine-ports/undelivered.js'

const mebibyte = 2 ** 20

function begun(versions = 1): Undelivered<string> {
  const undelivered = new Undelivered<string>(versions)
  undelivered.begin()
  return undelivered
}

const entry = (etag: string, bytes = 1_000) => ({ etag, value: `document ${etag}`, bytes })

describe('documents that the feed has not delivered', () => {
  it('are returned once, by their version', () => {
    const undelivered = begun()
    undelivered.put('a', entry('1'))
    expect(undelivered.take('a', '1')).toBe('document 1')
    expect(undelivered.take('a', '1')).toBeUndefined()
  })

  it('are forgotten when the feed delivers a version that was not kept, because another process wrote it later', () => {
    const undelivered = begun()
    undelivered.put('a', entry('1'))
    expect(undelivered.take('a', '2')).toBeUndefined()
    expect(undelivered.take('a', '1')).toBeUndefined()
  })

  it('are kept only in their newest version', () => {
    const undelivered = begun()
    undelivered.put('a', entry('1'))
    undelivered.put('a', entry('2'))
    expect(undelivered.take('a', '2')).toBe('document 2')
    for (const etag of ['1', '2']) undelivered.put('a', entry(etag))
    expect(undelivered.take('a', '1')).toBeUndefined()
  })

  it('are kept in more versions if asked, and a version is forgotten with those before it', () => {
    const undelivered = begun(2)
    for (const etag of ['1', '2', '3']) undelivered.put('a', entry(etag))
    expect(undelivered.take('a', '2')).toBe('document 2')
    expect(undelivered.take('a', '3')).toBe('document 3')
    for (const etag of ['1', '2', '3']) undelivered.put('b', entry(etag))
    expect(undelivered.take('b', '3')).toBe('document 3')
    expect(undelivered.take('b', '2')).toBeUndefined()
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
    const undelivered = new Undelivered<string>(1)
    undelivered.put('a', entry('1'))
    undelivered.begin()
    expect(undelivered.take('a', '1')).toBeUndefined()
    undelivered.put('a', entry('1'))
    undelivered.clear()
    expect(undelivered.take('a', '1')).toBeUndefined()
  })
})
