import { describe, expect, it } from 'vitest'
import { decodeChange, decodeVersionChange } from '../../../src/change-feed-processor/decode-change.js'

const change = { id: 'a', _etag: '"1"', _ts: 1, _lsn: 2, total: 3 }
const metadata = { lsn: 2, crts: 1, operationType: 'replace' }

describe('a document of the feed', () => {
  it('is a change, with whatever else it has', () => {
    expect(decodeChange(change, 0)).toEqual(change)
  })

  it.each([
    [null, /change 7 of the page cannot be understood: it is null/],
    [['a'], /not an object/],
    [{ ...change, id: 5 }, /its id is 5/],
    [{ ...change, _etag: undefined }, /\(id "a"\).*no _etag/],
    [{ ...change, _ts: '1' }, /no _ts/],
    [{ ...change, _lsn: undefined }, /no _lsn/],
  ])('%j is refused', (value, refusal) => {
    expect(() => decodeChange(value, 7)).toThrow(refusal)
  })
})

describe('a document of the feed of all versions', () => {
  it('is a change, and has no current version after a delete, however that is written', () => {
    const replaced = { current: { id: 'a' }, previous: { id: 'a' }, metadata }
    expect(decodeVersionChange(replaced, 0)).toEqual(replaced)
    const deletion = { ...metadata, operationType: 'delete', id: 'a' }
    for (const current of [{}, null, undefined])
      expect(decodeVersionChange({ current, metadata: deletion }, 0)).toEqual({
        current: {},
        metadata: deletion,
      })
  })

  it.each([
    [{ current: { id: 'a' } }, /no metadata/],
    [
      { current: { id: 'a' }, metadata: { ...metadata, operationType: 'merge' } },
      /"a".*operationType is "merge"/,
    ],
    [{ current: { id: 'a' }, metadata: { ...metadata, lsn: undefined } }, /no lsn or no crts/],
    [{ metadata }, /no current version/],
  ])('%j is refused', (value, refusal) => {
    expect(() => decodeVersionChange(value, 0)).toThrow(refusal)
  })
})
