import { describe, expect, it } from 'vitest'
import { DocumentVersion, TextMemory } from '../../../../src/emulator/engine/index.js'

/** A memory with versions of equal size, and the numbers of those that left it. */
function aMemory(
  mostBytes: number,
  waitingBytes?: () => number,
): {
  memory: TextMemory
  evicted: number[]
  aVersion: (at: number) => DocumentVersion
} {
  const evicted: number[] = []
  const memory = new TextMemory(mostBytes, waitingBytes)
  const evict = ({ number }: DocumentVersion): void => {
    evicted.push(number)
  }
  const home = { keyText: '["k"]', epk: '', owner: { rid: 'c', memory, evict } }
  const aVersion = (number: number): DocumentVersion => {
    const text = JSON.stringify({ number, note: 'x'.repeat(1_000) })
    const head = { id: `d${number}`, number, lsn: number, place: 0, origin: 0, ts: 0, ttl: null }
    return new DocumentVersion(home, { ...head, bytes: text.length }, text, true)
  }
  return { memory, evicted, aVersion }
}

describe('TextMemory', () => {
  it('lets the versions leave that were not used for the longest time, and no others', () => {
    const { memory, evicted, aVersion } = aMemory(15_000)
    const versions = Array.from({ length: 20 }, (_, number) => aVersion(number))
    for (const version of versions) {
      version.stored()
      // The first one is used all the time.
      expect(versions[0]?.text).toContain('"number":0')
    }
    expect(memory.usedBytes).toBeLessThanOrEqual(15_000)
    expect(memory.usedBytes).toBeGreaterThan(13_000)
    expect(evicted).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(versions[1]?.text).toContain('"number":1')
  })

  it('leaves room for versions that are not on disk yet', () => {
    let waiting = 0
    const { memory, aVersion } = aMemory(15_000, () => waiting)
    for (let number = 0; number < 20; number += 1) aVersion(number).stored()
    const before = memory.usedBytes
    waiting = 10_000
    memory.trim()
    expect(before).toBeGreaterThan(13_000)
    expect(memory.usedBytes).toBeLessThanOrEqual(5_000)
    expect(memory.usedBytes).toBeGreaterThan(3_000)
    memory.trim(1 / 2)
    expect(memory.usedBytes).toBe(0)
  })

  it('never lets a version leave that is not on disk, or that is replaced', () => {
    const { memory, evicted, aVersion } = aMemory(0)
    const [pending, replaced, stored] = [aVersion(1), aVersion(2), aVersion(3)]
    replaced.release()
    replaced.stored()
    stored.stored()
    expect(pending.text).toContain('"number":1')
    memory.trim()
    memory.trim()
    expect(evicted).toEqual([3])
    expect(memory.usedBytes).toBe(0)
  })

  it('counts parsed documents, and gives back all that it counted', () => {
    const { memory, aVersion } = aMemory(100_000)
    const versions = [aVersion(1), aVersion(2), aVersion(3)]
    for (const version of versions) version.stored()
    const texts = memory.usedBytes
    for (const { document } of versions) expect(document['note']).toHaveLength(1_000)
    expect(memory.usedBytes).toBeGreaterThan(2 * texts)
    for (const version of versions) version.release()
    expect(memory.usedBytes).toBe(0)
  })

  it('keeps no parsed document that is only seen', () => {
    const { memory, aVersion } = aMemory(100_000)
    const version = aVersion(7)
    version.stored()
    const { usedBytes } = memory
    expect(version.mayHold(['"number":7'])).toBe(true)
    expect(version.mayHold(['"number":8'])).toBe(false)
    expect(version.seen['number']).toBe(7)
    expect(memory.usedBytes).toBe(usedBytes)
  })

  it('keeps more than its bytes until it is told to trim', () => {
    const { memory, evicted, aVersion } = aMemory(0)
    const version = aVersion(1)
    version.keep()
    expect(version.document['number']).toBe(1)
    expect(evicted).toEqual([])
    memory.trim()
    expect(evicted).toEqual([1])
    expect(memory.usedBytes).toBe(0)
  })
})
