import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { etagLength, etagOf } from '../../../../../src/emulator/engine/values/etag.js'
import { containerRid, databaseRid } from '../../../../../src/emulator/engine/values/resource-id.js'
import { ownText, systemLength, systemText } from '../../../../../src/emulator/engine/values/stored-text.js'
import { originOf } from '../../../../../src/emulator/engine/values/version-fields.js'

/** Numbers of all sizes, because small ones are rare among those of a range. */
const sized = (most: number): fc.Arbitrary<number> =>
  fc.oneof(
    ...[9, 0xff, 0xffff, 0x1_0000, 2 ** 31, 2 ** 32, most].map((max) => fc.nat({ max: Math.min(max, most) })),
  )

const head = fc.record({
  database: sized(2 ** 30),
  container: sized(2 ** 20),
  number: sized(2 ** 40),
  lsn: sized(2 ** 45),
  rangeId: sized(2 ** 20).map(String),
  place: fc.nat({ max: 99 }),
  ts: sized(2 ** 33),
})

describe('the text of the properties that the service adds', () => {
  it('has the length that is computed without it', () => {
    fc.assert(
      fc.property(head, ({ database, container, number, lsn, rangeId, place, ts }) => {
        const rid = containerRid(databaseRid(database), container)
        const etag = etagOf({ rangeId, lsn, place, ts })
        expect(etagLength({ rangeId, lsn })).toBe(etag.length)
        const origin = originOf(rangeId, place)
        const length = systemLength(rid, { id: 'a', number, lsn, place: 0, origin, ts, ttl: null })
        expect(length).toBe(systemText(rid, { number, etag, ts }).length)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('the text of the properties of a client', () => {
  it('is the JSON without properties that have the names of the service', () => {
    const document = { id: 'a', _etag: 'old', _ts: 1, value: [1, 'é'], _own: 2 }
    expect(ownText(document)).toBe('{"id":"a","value":[1,"é"],"_own":2}')
  })
})
