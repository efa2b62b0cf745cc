import { describe, expect, it } from 'vitest'
import { compileQuery, QueryError } from '../../../../../src/emulator/query/index.js'
import { longest } from './long-texts.js'

function formatted(dateTime: string, format: unknown): unknown {
  const parameters = [
    { name: '@dateTime', value: dateTime },
    { name: '@format', value: format },
  ]
  return compileQuery('SELECT VALUE DATETIMEFORMAT(@dateTime, @format)', parameters).execute([])[0]
}

const afternoon = '2009-06-05T13:05:07.0120300Z'
const morning = '2009-11-15T00:45:30Z'

describe('DATETIMEFORMAT', () => {
  it.each([
    ['"yyyyMMdd"', '20241010'],
    ['"yyyy-MM-dd [HH:mm:ss]"', '2024-10-10 [14:40:20]'],
    ['"To\\\\da\\\\y i\\\\s: yyyy-MM-ddTHH:mm:ss.fff"', 'Today is: 2024-10-10T14:40:20.000'],
    ['"To\\\\da\\\\y i\\\\s: yyyy-MM-ddTHH:mm:ss.FFF"', 'Today is: 2024-10-10T14:40:20.'],
  ])('answers the documented example %s', (format, expected) => {
    const text = `SELECT VALUE DATETIMEFORMAT("2024-10-10 14:40:20", ${format})`
    expect(compileQuery(text, []).execute([])).toEqual([expected])
  })

  it.each([
    ['y', '9', '9'],
    ['yy', '09', '09'],
    ['yyyy', '2009', '2009'],
    ['M', '6', '11'],
    ['MM', '06', '11'],
    ['d', '5', '15'],
    ['dd', '05', '15'],
    ['H', '13', '0'],
    ['HH', '13', '00'],
    ['h', '1', '12'],
    ['hh', '01', '12'],
    ['m', '5', '45'],
    ['mm', '05', '45'],
    ['s', '7', '30'],
    ['ss', '07', '30'],
    ['tt', 'PM', 'AM'],
    ['f', '0', '0'],
    ['ff', '01', '00'],
    ['fffff', '01203', '00000'],
    ['fffffff', '0120300', '0000000'],
    ['F', '', ''],
    ['FF', '01', ''],
    ['FFFFFFF', '01203', ''],
  ])('knows the specifier %s of related services, since no page lists them', (specifier, one, other) => {
    expect([formatted(afternoon, specifier), formatted(morning, specifier)]).toEqual([one, other])
  })

  it('writes 12 for noon', () => {
    expect(formatted('2009-06-15T12:00:00', 'hh tt')).toBe('12 PM')
  })

  it('keeps other characters and those after a backslash', () => {
    expect(formatted(morning, '')).toBe('')
    expect(formatted(morning, 'é😀 \u{d800}/:,._[]-TZ')).toBe('é😀 \u{d800}/:,._[]-TZ')
    expect(formatted(morning, '\\y\\\\\\😀\\Q')).toBe('y\\😀Q')
  })

  it.each(['yyy', 'yyyyy', 'MMM', 'ddd', 'HHH', 'hhh', 'mmm', 'sss', 't', 'ttt', 'ffffffff', 'FFFFFFFF'])(
    'refuses the specifier %s by name, since no page explains it',
    (specifier) => {
      expect(() => formatted(morning, `dd ${specifier}`)).toThrow(`'${specifier}' in a format`)
    },
  )

  it.each(['g', 'K', 'zzz', '%d', "'at'", '"', 'dd\\'])('refuses %j, which readers differ on', (format) => {
    expect(() => formatted(morning, format)).toThrow(QueryError)
  })

  it.each([undefined, null, 1, true, ['yyyy'], { format: 'yyyy' }])(
    'is undefined for the format %j',
    (format) => {
      expect(formatted(morning, format)).toBeUndefined()
    },
  )

  it('refuses a result that would be too long', () => {
    const spaces = longest(' ').slice(2)
    expect(formatted(morning, spaces)).toBe(spaces)
    const text = 'SELECT VALUE LENGTH(DATETIMEFORMAT("2009-11-15", @format))'
    const parameters = [{ name: '@format', value: 'd '.repeat(2 * 1024 * 1024) }]
    expect(() => compileQuery(text, parameters).execute([])).toThrow('the limit of 4194304 characters')
  })

  it('names a long specifier only by its beginning', () => {
    expect(() => formatted(morning, longest('y'))).toThrow(`'${'y'.repeat(20)}' in`)
  })
})
