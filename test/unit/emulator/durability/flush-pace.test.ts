import { expect, it } from 'vitest'
import { FlushPace } from '../../../../src/emulator/durability/flush-pace.js'

/** Returns how often a process waits in this number of flushes that each take this time. */
function waitsOf(pace: FlushPace, flushes: number, forMs: number): number {
  let waits = 0
  for (let flush = 0; flush < flushes; flush += 1) {
    if (!pace.waits()) continue
    waits += 1
    pace.waited(forMs)
  }
  return waits
}

it('a process waits for each flush of a fast disk', () => {
  expect(waitsOf(new FlushPace(), 100, 0.9)).toBe(100)
})

it('a process waits ever less often for the flushes of a slow disk', () => {
  const pace = new FlushPace()
  expect(waitsOf(pace, 100, 5)).toBe(7)
  expect(waitsOf(pace, 10_000, 5)).toBeLessThan(15)
})

it('a process waits again for each flush after the disk was slow once', () => {
  const pace = new FlushPace()
  expect(waitsOf(pace, 1, 5)).toBe(1)
  expect(waitsOf(pace, 100, 0.2)).toBe(99)
})
