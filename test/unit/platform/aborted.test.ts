import { describe, expect, it } from 'vitest'
import { isAborted, unlessAborted } from '../../../src/platform/internal.js'

it('a signal that is undefined has not aborted', () => {
  expect([undefined, new AbortController().signal, AbortSignal.abort()].map(isAborted)).toEqual([
    false,
    false,
    true,
  ])
})

describe('the result of work with a signal', () => {
  const never = new Promise<number>(() => undefined)

  it('is the result of the work', async () => {
    const { signal } = new AbortController()
    expect(await unlessAborted(Promise.resolve(5), signal)).toBe(5)
    await expect(unlessAborted(Promise.reject(new Error('own')), signal)).rejects.toThrow('own')
  })

  it('is null as soon as the signal aborts, or if it has aborted before', async () => {
    const ending = new AbortController()
    const work = unlessAborted(never, ending.signal)
    ending.abort()
    expect(await work).toBeNull()
    expect(await unlessAborted(never, ending.signal)).toBeNull()
    expect(await unlessAborted(Promise.reject(new Error('too late')), ending.signal)).toBeNull()
  })
})
