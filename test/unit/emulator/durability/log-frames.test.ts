import { describe, expect, it } from 'vitest'
import { emptyGroup } from '../../../../src/emulator/durability/journal-entries.js'
import { addLines, frameAt, frameOf, nothingLogged } from '../../../../src/emulator/durability/log-frames.js'
import type { Store } from '../../../../src/emulator/durability/open-store.js'
import { sealed } from '../../../../src/emulator/durability/record-checksum.js'
import { openLog } from '../../../../src/emulator/durability/write-ahead-log.js'

const place = { log: 3, position: 0 }

describe('a frame of the log', () => {
  it.each([0, 100, 10_000])(
    'is the same, whether or not it fits into the given memory of %i bytes',
    (bytes) => {
      const group = emptyGroup()
      group.cleared.add('history/r/')
      for (let number = 0; number < 9; number += 1) {
        group.entries.set(`user/${number}`, number % 3 === 0 ? null : '{"text":"ü€\\n"}'.repeat(number))
      }
      const frame = frameOf(group, place, Buffer.alloc(bytes, 'x'))
      expect(frame.equals(frameOf(group, place))).toBe(true)
      const found = frameAt(frame, place)
      expect(found?.end).toBe(frame.length)
      const logged = nothingLogged()
      addLines(logged, found?.lines ?? Buffer.alloc(0))
      expect(logged.group).toEqual(group)
    },
  )

  it('is not valid at another place', () => {
    const group = emptyGroup()
    group.entries.set('user/1', '{}')
    const frame = frameOf(group, place)
    expect(frameAt(frame, { ...place, log: 4 })).toBeNull()
    expect(frameAt(Buffer.concat([Buffer.alloc(9), frame]), { ...place, position: 9 })).toBeNull()
    expect(frameAt(frame.subarray(0, -1), place)).toBeNull()
  })
})

describe('the record of the logs', () => {
  const storeWith = (value: string): Store =>
    ({ get: () => value, close: () => Promise.resolve() }) as unknown as Store

  it('is refused if it is altered, because no start reads all records of a large store', () => {
    expect(openLog('directory', storeWith(sealed('log', ''))).record).toBe('')
    const value = sealed('log', '1 2 3').slice(0, -5)
    expect(() => openLog('directory', storeWith(value))).toThrow(
      'data.mdb is damaged (the record log is altered)',
    )
  })
})
