import { describe, expect, it } from 'vitest'
import { compileQuery } from '../../../../../src/emulator/query/index.js'
import { systemClock } from '../../../../../src/platform/index.js'

const start = Date.parse('2024-10-14T14:20:30.666Z')

/** A clock that moves by one second each time it is asked. */
function clockFrom(ms: number): () => number {
  let next = ms
  return () => (next += 1000) - 1000
}

function valueAt(ms: number, expression: string): unknown {
  return compileQuery(`SELECT VALUE ${expression}`, [], { now: () => ms }).execute([])[0]
}

describe('a function of the current time', () => {
  it.each<[string, unknown]>([
    ['GetCurrentDateTime()', '2024-10-14T14:20:30.6660000Z'],
    ['GetCurrentDateTimeStatic()', '2024-10-14T14:20:30.6660000Z'],
    ['GetCurrentTicks()', 17289156306660000],
    ['GetCurrentTicksStatic()', 17289156306660000],
    ['GetCurrentTimestamp()', 1728915630666],
    ['GetCurrentTimestampStatic()', 1728915630666],
    ['NOW()', '2024-10-14T14:20:30.6660000Z'],
    ['NOW("yyyy", 1)', '2025-10-14T14:20:30.6660000Z'],
    ['NOW("yyyy", -1)', '2023-10-14T14:20:30.6660000Z'],
    ['NOW("ss", 30)', '2024-10-14T14:21:00.6660000Z'],
    ['NOW("ms", 4)', '2024-10-14T14:20:30.6700000Z'],
    ['AGO("yyyy", 1)', '2023-10-14T14:20:30.6660000Z'],
    ['AGO("yyyy", -1)', '2025-10-14T14:20:30.6660000Z'],
    ['AGO("ss", 30)', '2024-10-14T14:20:00.6660000Z'],
    ['AGO("ms", 4)', '2024-10-14T14:20:30.6620000Z'],
    ['AGO("mm", 0)', '2024-10-14T14:20:30.6660000Z'],
    ['AGO("week", 1)', undefined],
    ['AGO("dd", 1.5)', undefined],
    ['AGO("dd", "1")', undefined],
    ['AGO("dd", null)', undefined],
    ['AGO("dd", undefined)', undefined],
    ['AGO(undefined, 1)', undefined],
    ['AGO("yyyy", 3000)', undefined],
    ['NOW("week", 1)', undefined],
    ['NOW("dd", 1.5)', undefined],
    ['NOW("dd", undefined)', undefined],
    ['NOW(undefined, undefined)', undefined],
    ['NOW("yyyy", 8000)', undefined],
    ['GetCurrentTimestamp() = DateTimeToTimestamp(GetCurrentDateTime())', true],
  ])('%s is %j', (expression, expected) => {
    expect(valueAt(start, expression)).toBe(expected)
  })

  it('keeps the ticks within a millisecond', () => {
    expect(valueAt(1000.5, 'GETCURRENTTICKS()')).toBe(10_005_000)
    expect(valueAt(1000.5, 'GETCURRENTTIMESTAMP()')).toBe(1000)
    expect(valueAt(-0.5, 'GETCURRENTTICKS()')).toBe(-5000)
    expect(valueAt(1000 + 2 ** -14, 'GETCURRENTTICKS()')).toBe(10_000_000)
  })

  it.each(['GETCURRENTTIMESTAMP()', 'DATETIMETOTIMESTAMP(NOW())', 'GETCURRENTTICKS()/10000'])(
    'asks the clock for each document: %s',
    (expression) => {
      const query = compileQuery(`SELECT VALUE ${expression} FROM c`, [], { now: clockFrom(0) })
      const values = query.execute([{}, {}, {}]).map(Number)
      expect(values).toEqual([values[0], 1000 + Number(values[0]), 2000 + Number(values[0])])
    },
  )

  it('asks the clock once for a query if it is static', () => {
    const text =
      'SELECT VALUE [GETCURRENTTIMESTAMPSTATIC(), GETCURRENTTICKSSTATIC()/10000, ' +
      'DATETIMETOTIMESTAMP(GETCURRENTDATETIMESTATIC())] FROM c WHERE GETCURRENTTIMESTAMP() > 0'
    const query = compileQuery(text, [], { now: clockFrom(5000) })
    const row = [5000, 5000, 5000]
    expect(query.execute([{}, {}])).toEqual([row, row])
    expect(query.execute([{}])).toEqual([row])
  })

  it('filters, and stands beside aggregates', () => {
    const documents = [{ due: 1 }, { due: start }, { due: start + 1 }]
    const now = (): number => start
    const text =
      'SELECT COUNT(1) AS due, GETCURRENTTIMESTAMP() AS now FROM c WHERE c.due <= GETCURRENTTIMESTAMP()'
    expect(compileQuery(text, [], { now }).execute(documents)).toEqual([{ due: 2, now: start }])
  })

  it("asks the machine's clock if the query has none", () => {
    const before = systemClock.now()
    const [value] = compileQuery('SELECT VALUE GETCURRENTTIMESTAMP()', []).execute([])
    expect(Number(value)).toBeGreaterThanOrEqual(before)
    expect(Number(value)).toBeLessThanOrEqual(systemClock.now())
  })

  it.each(['GETCURRENTDATETIME(1)', 'GETCURRENTTICKSSTATIC(1)', 'AGO("dd")', 'AGO()', 'NOW("dd", 1, 2)'])(
    'is refused with a wrong count of arguments: %s',
    (expression) => {
      expect(() => valueAt(start, expression)).toThrow('SC2050')
    },
  )
})
