import { closeSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { ReadAhead } from '../../../../src/emulator/durability/read-ahead.js'
import { scratchDirectory } from '../../../support/scratch-directory.js'

it('returns the bytes of the file for reads in any order, and later reads do not change them', () => {
  const bytes = Buffer.from(Array.from({ length: 300 }, (_, index) => index * 7))
  const path = join(scratchDirectory(), 'file')
  writeFileSync(path, bytes)
  const read = fc.record({
    jump: fc.option(fc.nat(350), { freq: 3 }),
    length: fc.integer({ min: 1, max: 40 }),
  })
  fc.assert(
    fc.property(fc.array(read), (reads) => {
      const descriptor = openSync(path, 'r')
      const file = new ReadAhead(descriptor)
      let position = 0
      const found = reads.map(({ jump, length }) => {
        position = jump ?? position
        const start = position
        position += length
        return { start, end: position, got: file.read(start, length) }
      })
      closeSync(descriptor)
      for (const { start, end, got } of found) expect(got).toEqual(bytes.subarray(start, end))
    }),
  )
})
