import { describe, expect, it } from 'vitest'
import { isAborted, unlessAborted, whenAborted } from '../../../src/platform/internal.js'

it('a signal that is undefined has not aborted', () => {
  expect([undefined, new AbortController().signal, AbortSignal.abort()].map(isAborted)).toEqual([
    false,
    false,
    true,
  ])
})

it('calls a function when a signal aborts, unless it was forgotten before', () => {
  const ending = new AbortController()
  const ended: string[] = []
  whenAborted(ending.signal, () => ended.push('first'))
  const forget = whenAborted(ending.signal, () => ended.push('second'))
  forget()
  expect(ended).toEqual([])
  ending.abort()
  expect(ended).toEqual(['first'])
})

describe('the result of work with a signal', () => {
  const never = new Promise<number>(() => undefined)

  it('is the result of the work', async () => {
    const { signal } = new AbortController()
    expect(await unlessAborted(Promise.resolve(5), signal)).toBe(5)
    await expect(unlessAborted(Promise.reject(new Error('own')), signal)).rejects.toThrow('own')
  })

  it('adds one listener for all work with one signal, and ends only the work under way', async () => {
    const ending = new AbortController()
    let listeners = 0
    const add = ending.signal.addEventListener.bind(ending.signal)
    ending.signal.addEventListener = (...listener: Parameters<typeof add>): void => {
      listeners += 1
      add(...listener)
    }
    expect(await unlessAborted(Promise.resolve(1), ending.signal)).toBe(1)
    const both = [unlessAborted(never, ending.signal), unlessAborted(never, ending.signal)]
    ending.abort()
    expect(await Promise.all(both)).toEqual([null, null])
    expect(listeners).toBe(1)
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
