import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  dateTimeText,
  floorDivided,
  ticksOf,
  ticksOfMilliseconds,
} from '../../../../../src/emulator/query/functions/dates/date-time.js'
import { compileQuery } from '../../../../../src/emulator/query/index.js'

const first = -621355968000000000n
const last = 2534023007999999999n
const anyTicks = fc.bigInt({ min: first, max: last })
const dateTimes = anyTicks.map((ticks) => dateTimeText(ticks) ?? '')
const fixedParts = fc.constantFrom<[string, bigint]>(
  ['day', 864_000_000_000n],
  ['hour', 36_000_000_000n],
  ['minute', 600_000_000n],
  ['second', 10_000_000n],
  ['millisecond', 10_000n],
  ['microsecond', 10n],
)

function valueOf(expression: string, values: readonly unknown[]): unknown {
  const parameters = values.map((value, index) => ({ name: `@${index}`, value }))
  return compileQuery(`SELECT VALUE ${expression}`, parameters).execute([])[0]
}

/** Computes the days since 1970 of a date by counting leap years, independently of the code under test. */
function daysBefore(year: number, month: number, day: number): number {
  const before = year - 1
  const leapYears = Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400)
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
  const inYear = lengths.slice(0, month - 1).reduce((sum, length) => sum + length, 0)
  return before * 365 + leapYears + inYear + day - 1 - 719162
}

describe('every point of time', () => {
  it('survives the way through its text', () => {
    fc.assert(
      fc.property(anyTicks, (ticks) => {
        const text = dateTimeText(ticks) ?? ''
        expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z$/)
        expect(ticksOf(text)).toBe(ticks)
        expect(ticksOf(text.replace('T', ' ').slice(0, -1))).toBe(ticks)
      }),
    )
  })

  it('has the text that counting days gives', () => {
    fc.assert(
      fc.property(anyTicks, (ticks) => {
        const text = dateTimeText(ticks) ?? ''
        const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number)
        expect(BigInt(daysBefore(year, month, day))).toBe(floorDivided(ticks, 864_000_000_000n))
      }),
    )
  })

  it('has texts in the order of time', () => {
    fc.assert(
      fc.property(anyTicks, anyTicks, (one, other) => {
        expect((dateTimeText(one) ?? '') < (dateTimeText(other) ?? '')).toBe(one < other)
      }),
    )
  })

  it('survives the way through parts', () => {
    fc.assert(
      fc.property(dateTimes, (text) => {
        const names = ['yyyy', 'mm', 'dd', 'hh', 'mi', 'ss', 'ns']
        const parts = names.map((name) => Number(valueOf('DATETIMEPART(@0, @1)', [name, text])))
        const fraction = (parts.pop() ?? 0) / 100
        expect(valueOf('DATETIMEFROMPARTS(@0, @1, @2, @3, @4, @5, @6)', [...parts, fraction])).toBe(text)
      }),
    )
  })

  it('survives the way through ticks and milliseconds as far as a number is exact', () => {
    const exact = fc.bigInt({ min: -(2n ** 53n), max: 2n ** 53n })
    fc.assert(
      fc.property(exact, (ticks) => {
        const text = valueOf('TICKSTODATETIME(@0)', [Number(ticks)])
        expect(valueOf('DATETIMETOTICKS(@0)', [text])).toBe(Number(ticks))
        const milliseconds = floorDivided(ticks, 10_000n)
        expect(valueOf('DATETIMETOTIMESTAMP(@0)', [text])).toBe(Number(milliseconds))
        expect(ticksOfMilliseconds(Number(milliseconds))).toBe(milliseconds * 10_000n)
      }),
    )
  })
})

describe('DATETIMEADD', () => {
  it('is undone by the opposite, and agrees with DATETIMEDIFF', () => {
    fc.assert(
      fc.property(dateTimes, fixedParts, fc.integer(), (text, [part, size], count) => {
        const sum = valueOf('DATETIMEADD(@0, @1, @2)', [part, count, text])
        const expected = (ticksOf(text) ?? 0n) + BigInt(count) * size
        expect(sum).toBe(dateTimeText(expected))
        if (sum === undefined) return
        expect(valueOf('DATETIMEADD(@0, @1, @2)', [part, -count, sum])).toBe(text)
        expect(valueOf('DATETIMEDIFF(@0, @1, @2)', [part, text, sum])).toBe(count)
      }),
    )
  })

  it('changes the month by the count of months, and the day only to the last one', () => {
    fc.assert(
      fc.property(dateTimes, fc.integer({ min: -5000, max: 5000 }), (text, count) => {
        const sum = valueOf('DATETIMEADD("mm", @0, @1)', [count, text])
        if (typeof sum !== 'string') return
        expect(valueOf('DATETIMEDIFF("mm", @0, @1)', [text, sum])).toBe(count)
        expect(sum.slice(10)).toBe(text.slice(10))
        const isLast = Number(valueOf('DAY(DATETIMEADD("dd", 1, @0))', [sum]) ?? 1) === 1
        expect(
          sum.slice(8, 10) === text.slice(8, 10) || (isLast && sum.slice(8, 10) < text.slice(8, 10)),
        ).toBe(true)
      }),
    )
  })
})

describe('DATETIMEDIFF', () => {
  it('counts the same boundaries backwards, and through any point between', () => {
    const anyPart = fc.constantFrom('yy', 'm', 'd', 'hh', 'n', 's')
    fc.assert(
      fc.property(anyPart, dateTimes, dateTimes, dateTimes, (part, one, two, three) => {
        const between = (from: string, to: string): number =>
          Number(valueOf('DATETIMEDIFF(@0, @1, @2)', [part, from, to]))
        expect(between(two, one) + between(one, two)).toBe(0)
        expect(between(one, two) + between(two, three)).toBe(between(one, three))
      }),
    )
  })
})

describe('DATETIMEBIN', () => {
  const binned = fc.bigInt({ min: -116444736000000000n, max: last })

  it('is the last multiple from the start that is not later', () => {
    fc.assert(
      fc.property(binned, binned, fixedParts, fc.integer({ min: 1 }), (ticks, start, [part, size], count) => {
        const values = [dateTimeText(ticks), part, count, dateTimeText(start)]
        const result = ticksOf(valueOf('DATETIMEBIN(@0, @1, @2, @3)', values))
        const bin = size * BigInt(count)
        if (result === undefined) {
          expect(ticks - bin).toBeLessThan(first)
        } else {
          expect((result - start) % bin).toBe(0n)
          expect(result <= ticks && ticks < result + bin).toBe(true)
        }
      }),
    )
  })
})
