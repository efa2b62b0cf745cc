import { describe, expect, it } from 'vitest'
import { DocumentVersion, TextMemory } from '../../../../src/emulator/engine/index.js'

/** A memory over a disk that has every text, with versions of equal size and the numbers that were read. */
function aMemory(mostBytes: number): {
  memory: TextMemory
  read: number[]
  aVersion: (at: number) => DocumentVersion
} {
  const read: number[] = []
  const textOf = (number: number): string => JSON.stringify({ number, note: 'x'.repeat(1_000) })
  const memory = new TextMemory(
    {
      read: (_containerRid, { number }) => {
        read.push(number)
        return textOf(number)
      },
    },
    mostBytes,
  )
  const home = { keyText: '["k"]', epk: '', containerRid: 'c', memory }
  const aVersion = (number: number): DocumentVersion => {
    const text = textOf(number)
    const head = { id: `d${number}`, number, lsn: number, place: 0, origin: 0, ts: 0, ttl: null }
    return new DocumentVersion(home, { ...head, bytes: text.length }, text)
  }
  return { memory, read, aVersion }
}

describe('TextMemory', () => {
  it('forgets the texts that were not used for the longest time, and no others', () => {
    const { memory, read, aVersion } = aMemory(10_000)
    const versions = Array.from({ length: 20 }, (_, number) => aVersion(number))
    for (const version of versions) {
      version.stored()
      // The first one is used all the time.
      expect(versions[0]?.text).toContain('"number":0')
    }
    expect(memory.usedBytes).toBeLessThanOrEqual(10_000)
    expect(memory.usedBytes).toBeGreaterThan(8_000)
    expect(read).toEqual([])
    expect(versions[19]?.text).toContain('"number":19')
    expect(read).toEqual([])
    expect(versions[1]?.text).toContain('"number":1')
    expect(read).toEqual([1])
  })

  it('never forgets a text that is not on disk, or that its version holds', () => {
    const { memory, read, aVersion } = aMemory(0)
    const [pending, held, read_] = [aVersion(1), aVersion(2), aVersion(3)]
    held.stored()
    expect(memory.usedBytes).toBe(0)
    held.hold()
    held.stored()
    read_.stored()
    expect(read).toEqual([2])
    expect([pending.text, held.text, held.text, read_.text].map((text) => text.slice(0, 11))).toEqual([
      '{"number":1',
      '{"number":2',
      '{"number":2',
      '{"number":3',
    ])
    expect(read).toEqual([2, 3])
    expect(memory.usedBytes).toBe(0)
  })

  it('counts parsed documents, and gives back all that it counted', () => {
    const { memory, aVersion } = aMemory(100_000)
    const versions = [aVersion(1), aVersion(2), aVersion(3)]
    for (const version of versions) version.stored()
    const texts = memory.usedBytes
    for (const { document } of versions) expect(document['note']).toHaveLength(1_000)
    expect(memory.usedBytes).toBeGreaterThan(2 * texts)
    for (const version of versions) version.hold()
    expect(memory.usedBytes).toBe(0)
  })

  it('does not keep what is only seen', () => {
    const { memory, read, aVersion } = aMemory(100_000)
    const home = aVersion(1).home
    const cold = new DocumentVersion(home, aVersion(7), null)
    expect(cold.mayHold(['"number":7'])).toBe(true)
    expect(cold.mayHold(['"number":8'])).toBe(false)
    expect(cold.seen['number']).toBe(7)
    expect(memory.usedBytes).toBe(0)
    expect(cold.document['number']).toBe(7)
    expect(cold.seen['number']).toBe(7)
    expect(read).toEqual([7, 7, 7, 7])
    expect(memory.usedBytes).toBeGreaterThan(1_000)
  })
})
