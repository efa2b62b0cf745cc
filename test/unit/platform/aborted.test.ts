import { describe, expect, it } from 'vitest'
import { isAborted, unlessAborted } from '../../../src/platform/internal.js'

it('a signal that is not given has not aborted', () => {
  expect([undefined, new AbortController().signal, AbortSignal.abort()].map(isAborted)).toEqual([
    false,
    false,
    true,
  ])
})

describe('work unless aborted', () => {
  const never = new Promise<number>(() => undefined)

  it('settles as the work does', async () => {
    const { signal } = new AbortController()
    expect(await unlessAborted(Promise.resolve(5), signal)).toBe(5)
    await expect(unlessAborted(Promise.reject(new Error('own')), signal)).rejects.toThrow('own')
  })

  it('is null as soon as the signal aborts, or when it has aborted before', async () => {
    const ending = new AbortController()
    const work = unlessAborted(never, ending.signal)
    ending.abort()
    expect(await work).toBeNull()
    expect(await unlessAborted(never, ending.signal)).toBeNull()
    expect(await unlessAborted(Promise.reject(new Error('too late')), ending.signal)).toBeNull()
  })
})
