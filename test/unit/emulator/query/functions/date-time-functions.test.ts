import { describe, expect, it } from 'vitest'
import { compileQuery } from '../../../../../src/emulator/query/index.js'
import { longest } from './long-texts.js'

const document = {
  text: 'text',
  number: 5,
  nil: null,
  list: ['2020-01-01'],
  object: { date: '2020-01-01' },
  date: '2020-02-29T23:59:59.9999999Z',
}

function valueOf(expression: string): unknown {
  return compileQuery(`SELECT VALUE ${expression} FROM c`, []).execute([document])[0]
}

/** Values that are no date and time. */
const others = [
  'c.nothing',
  'c.nil',
  'c.number',
  'c.text',
  'c.list',
  'c.object',
  'true',
  '0/0',
  '""',
  '"2020-13-01"',
]

describe('a date and time', () => {
  it.each<[string, boolean]>([
    ['"2024-12-12"', true],
    ['"2024-12-12Z"', true],
    ['"2024-12-12 20:21:25"', true],
    ['"2024-12-12T20:21:25Z"', true],
    ['"2024-12-12T20:21:25.123"', true],
    ['"2024-12-12 20:21:25.123Z"', true],
    ['"2024-12-12T20Z"', false],
    ['"2024-12-12 20:21:25."', false],
    ['"2024-12-12T20:21:25.1"', true],
    ['"2024-12-12T20:21:25.1234567Z"', true],
    ['"2024-12-12T20:21:25.12345678"', false],
    ['"2024-12-12T20:21:25.12345678Z"', false],
    ['"2024-12-12T20:21"', false],
    ['"2024-12-12T"', false],
    ['"2024-12-12t20:21:25z"', false],
    ['"2024-12-12_20:21:25"', false],
    ['"2024-12-12T20:21:25+00:00"', false],
    ['"2024-12-12T20:21:25ZZ"', false],
    ['" 2024-12-12"', false],
    ['"2024-12-12\\n"', false],
    ['"24-12-12"', false],
    ['"2024-1-12"', false],
    ['"2024/12/12"', false],
    ['"+002024-12-12"', false],
    ['"２０２４-12-12"', false],
    ['"2024-02-29"', true],
    ['"2023-02-29"', false],
    ['"1900-02-29"', false],
    ['"2000-02-29"', true],
    ['"2024-04-31"', false],
    ['"2024-00-10"', false],
    ['"2024-10-00"', false],
    ['"2024-12-12T24:00:00"', false],
    ['"2024-12-12T23:60:00"', false],
    ['"2024-12-12T23:59:60"', false],
    ['"0001-01-01"', true],
    ['"0000-12-31"', false],
    ['"9999-12-31T23:59:59.9999999Z"', true],
    ['c.date', true],
    ...others.map((other): [string, boolean] => [other, false]),
  ])('%s: whether it is valid is %s', (text, isValid) => {
    expect(valueOf(`IS_DATETIME(${text})`)).toBe(isValid)
  })

  it('is undefined to every function if it is not valid', () => {
    const calls = [
      (value: string) => `DATETIMEADD("dd", 1, ${value})`,
      (value: string) => `DATETIMEBIN(${value}, "dd")`,
      (value: string) => `DATETIMEBIN("2020-01-01", "dd", 1, ${value})`,
      (value: string) => `DATETIMEDIFF("dd", ${value}, "2020-01-01")`,
      (value: string) => `DATETIMEDIFF("dd", "2020-01-01", ${value})`,
      (value: string) => `DATETIMEDIFF("yyyy", ${value}, "2020-01-01")`,
      (value: string) => `DATETIMEFORMAT(${value}, "yyyy")`,
      (value: string) => `DATETIMEPART("dd", ${value})`,
      (value: string) => `DATETIMETOTICKS(${value})`,
      (value: string) => `DATETIMETOTIMESTAMP(${value})`,
      (value: string) => `YEAR(${value})`,
      (value: string) => `MONTH(${value})`,
      (value: string) => `DAY(${value})`,
    ]
    for (const call of calls) {
      expect(valueOf(call('"2020-01-01"')), call('valid')).toBeDefined()
      for (const other of others) expect(valueOf(call(other)), call(other)).toBeUndefined()
    }
  })

  it('is found invalid without reading a long text', () => {
    const query = compileQuery('SELECT VALUE IS_DATETIME(@text)', [{ name: '@text', value: longest('2') }])
    expect(query.execute([])).toEqual([false])
  })
})

describe('a part of a date and time', () => {
  const moment = '"2016-05-29T08:30:07.1301617"'

  it.each<[readonly string[], number]>([
    [['year', 'yyyy', 'yy'], 2016],
    [['month', 'mm', 'm'], 5],
    [['day', 'dd', 'd'], 29],
    [['hour', 'hh'], 8],
    [['minute', 'mi', 'n'], 30],
    [['second', 'ss', 's'], 7],
    [['millisecond', 'ms'], 130],
    [['microsecond', 'mcs'], 130161],
    [['nanosecond', 'ns'], 130161700],
  ])('has the names %j, and DATETIMEPART returns %j', (names, value) => {
    for (const name of names) expect(valueOf(`DATETIMEPART("${name}", ${moment})`)).toBe(value)
  })

  it.each(['', 'YYYY', 'y', 'Day', 'h', 'mcss', 'week', 'dayofweek', '__proto__', 'day '])(
    'has not the name "%s"',
    (name) => {
      const calls = [
        `DATETIMEPART("${name}", ${moment})`,
        `DATETIMEADD("${name}", 1, ${moment})`,
        `DATETIMEBIN(${moment}, "${name}")`,
        `DATETIMEDIFF("${name}", ${moment}, ${moment})`,
      ]
      expect(calls.map(valueOf)).toEqual(calls.map(() => undefined))
    },
  )

  it.each(['c.nothing', 'c.nil', 'c.number', 'c.list', 'c.object'])('is not named by %s', (name) => {
    expect(valueOf(`DATETIMEPART(${name}, ${moment})`)).toBeUndefined()
    expect(valueOf(`DATETIMEADD(${name}, 1, ${moment})`)).toBeUndefined()
    expect(valueOf(`DATETIMEBIN(${moment}, ${name})`)).toBeUndefined()
    expect(valueOf(`DATETIMEDIFF(${name}, ${moment}, ${moment})`)).toBeUndefined()
  })

  it.each<[string, unknown]>([
    ['DateTimePart("m", "2020-01-02T03:04:05.6789123Z")', 1],
    ['DateTimePart("mcs", "2020-01-02T03:04:05.6789123Z")', 678912],
    ['DateTimePart("ns", "2020-01-02")', 0],
    ['YEAR("2000-10-10")', 2000],
    ['YEAR("2024-01-10T14:15:20")', 2024],
    ['YEAR("1989-03-03T12:12:12.1234567Z")', 1989],
    ['YEAR("0001-01-01")', 1],
    ['MONTH("2024-01-10")', 1],
    ['MONTH("2000-12-12T10:00:00")', 12],
    ['MONTH("1989-03-03T12:12:12.1234567Z")', 3],
    ['DAY("2024-01-10")', 10],
    ['DAY("2000-12-12T10:00:00")', 12],
    ['DAY("1989-03-03T12:12:12.1234567Z")', 3],
  ])('%s is %j', (expression, expected) => {
    expect(valueOf(expression)).toBe(expected)
  })
})

describe('DATETIMEADD', () => {
  const day = '"2020-07-03T00:00:00.0000000"'

  it.each<[string, string | undefined]>([
    [`DateTimeAdd("yyyy", 1, ${day})`, '2021-07-03T00:00:00.0000000Z'],
    [`DateTimeAdd("mm", 1, ${day})`, '2020-08-03T00:00:00.0000000Z'],
    [`DateTimeAdd("dd", 1, ${day})`, '2020-07-04T00:00:00.0000000Z'],
    [`DateTimeAdd("hh", 1, ${day})`, '2020-07-03T01:00:00.0000000Z'],
    [`DateTimeAdd("yyyy", -1, ${day})`, '2019-07-03T00:00:00.0000000Z'],
    [`DateTimeAdd("mm", -1, ${day})`, '2020-06-03T00:00:00.0000000Z'],
    [`DateTimeAdd("dd", -1, ${day})`, '2020-07-02T00:00:00.0000000Z'],
    [`DateTimeAdd("hh", -1, ${day})`, '2020-07-02T23:00:00.0000000Z'],
    [`DateTimeAdd("ss", 5 * -5, ${day})`, '2020-07-02T23:59:35.0000000Z'],
    ['DateTimeAdd("mm", 1, "2020-07-09T23:20:13.4575530Z")', '2020-08-09T23:20:13.4575530Z'],
    ['DateTimeAdd("hh", -2, "2020-07-09T23:20:13.4575530Z")', '2020-07-09T21:20:13.4575530Z'],
    [`DATETIMEADD("mi", 90, ${day})`, '2020-07-03T01:30:00.0000000Z'],
    [`DATETIMEADD("ms", 1, ${day})`, '2020-07-03T00:00:00.0010000Z'],
    [`DATETIMEADD("mcs", 1, ${day})`, '2020-07-03T00:00:00.0000010Z'],
    [`DATETIMEADD("ns", 100, ${day})`, '2020-07-03T00:00:00.0000001Z'],
    ['DATETIMEADD("ns", 100, c.date)', '2020-03-01T00:00:00.0000000Z'],
    ['DATETIMEADD("dd", 0, "2020-07-03")', '2020-07-03T00:00:00.0000000Z'],
    ['DATETIMEADD("dd", -0, "2020-07-03")', '2020-07-03T00:00:00.0000000Z'],
    ['DATETIMEADD("mm", -6, "2020-06-15")', '2019-12-15T00:00:00.0000000Z'],
    ['DATETIMEADD("mm", 30, "2020-07-15")', '2023-01-15T00:00:00.0000000Z'],
    ['DATETIMEADD("dd", 1, "9999-12-31")', undefined],
    ['DATETIMEADD("yyyy", 1, "9999-01-01")', undefined],
    ['DATETIMEADD("mm", -1, "0001-01-31")', undefined],
    ['DATETIMEADD("ns", -100, "0001-01-01")', undefined],
    [`DATETIMEADD("dd", 9007199254740993, ${day})`, undefined],
    [`DATETIMEADD("mm", 1e300, ${day})`, undefined],
    [`DATETIMEADD("ns", -1e300, ${day})`, undefined],
    [`DATETIMEADD("dd", 1.5, ${day})`, undefined],
    [`DATETIMEADD("dd", 0/0, ${day})`, undefined],
    [`DATETIMEADD("dd", "1", ${day})`, undefined],
    [`DATETIMEADD("dd", null, ${day})`, undefined],
    [`DATETIMEADD("dd", c.nothing, ${day})`, undefined],
    [`DATETIMEADD("yyyy", 1.5, ${day})`, undefined],
  ])('%s is %j', (expression, expected) => {
    expect(valueOf(expression)).toBe(expected)
  })

  it.each([
    ['DATETIMEADD("mm", 1, "2021-01-31T10:00:00.5")', '2021-02-28T10:00:00.5000000Z'],
    ['DATETIMEADD("mm", 1, "2020-01-31")', '2020-02-29T00:00:00.0000000Z'],
    ['DATETIMEADD("mm", -1, "2020-07-31")', '2020-06-30T00:00:00.0000000Z'],
    ['DATETIMEADD("yyyy", 1, "2020-02-29")', '2021-02-28T00:00:00.0000000Z'],
    ['DATETIMEADD("yyyy", -4, "1904-02-29")', '1900-02-28T00:00:00.0000000Z'],
  ])('takes the last day of a shorter month, although no page says so: %s is %s', (expression, expected) => {
    expect(valueOf(expression)).toBe(expected)
  })

  it.each([
    ['DATETIMEADD("ns", 199, "2020-07-03")', '2020-07-03T00:00:00.0000001Z'],
    ['DATETIMEADD("ns", -199, "2020-07-03")', '2020-07-02T23:59:59.9999999Z'],
    ['DATETIMEADD("ns", 99, "2020-07-03")', '2020-07-03T00:00:00.0000000Z'],
  ])('drops what is less than 100 ns, although no page says so: %s is %s', (expression, expected) => {
    expect(valueOf(expression)).toBe(expected)
  })
})

describe('DATETIMEDIFF', () => {
  const earlier = '"2018-03-05T05:00:00.0000000"'
  const later = '"2019-02-04T16:00:00.0000000"'

  it.each<[string, number]>([
    [`DateTimeDiff("yyyy", ${later}, ${earlier})`, -1],
    [`DateTimeDiff("mm", ${later}, ${earlier})`, -11],
    [`DateTimeDiff("dd", ${later}, ${earlier})`, -336],
    [`DateTimeDiff("hh", ${later}, ${earlier})`, -8075],
    [`DateTimeDiff("ss", ${later}, ${earlier})`, -29070000],
    [`DateTimeDiff("yyyy", ${earlier}, ${later})`, 1],
    [`DateTimeDiff("mm", ${earlier}, ${later})`, 11],
    [`DateTimeDiff("dd", ${earlier}, ${later})`, 336],
    [`DateTimeDiff("hh", ${earlier}, ${later})`, 8075],
    [`DateTimeDiff("ss", ${earlier}, ${later})`, 29070000],
    ['DateTimeDiff("day", "2020-01-01T01:02:03.1234527Z", "2020-01-03T01:02:03.1234567Z")', 2],
    ['DateTimeDiff("yyyy", "2028-01-01T01:02:03.1234527Z", "2020-01-03T01:02:03.1234567Z")', -8],
    ['DateTimeDiff("hh", "2020-01-01T01:00:00.1234527Z", "2020-01-01T01:59:59.1234567Z")', 0],
    ['DATETIMEDIFF("yyyy", "2020-12-31T23:59:59.9999999Z", "2021-01-01")', 1],
    ['DATETIMEDIFF("mm", "2020-01-31", "2020-02-01")', 1],
    ['DATETIMEDIFF("dd", "1969-12-31T23:59:59", "1970-01-01")', 1],
    ['DATETIMEDIFF("dd", "1969-12-31T23:59:59", "1969-12-31T00:00:00")', 0],
    ['DATETIMEDIFF("mi", "2020-01-01T00:00:59.9", "2020-01-01T00:01:00")', 1],
    ['DATETIMEDIFF("ms", "2020-01-01T00:00:00.0009999", "2020-01-01T00:00:00.0010000")', 1],
    ['DATETIMEDIFF("mcs", "2020-01-01T00:00:00.0000009", "2020-01-01T00:00:00.0000010")', 1],
    ['DATETIMEDIFF("ns", "2020-01-01T00:00:00.0000009", "2020-01-01T00:00:00.0000010")', 100],
    ['DATETIMEDIFF("ns", "2020-01-01", "2020-01-01")', 0],
    ['DATETIMEDIFF("ns", "0001-01-01", "9999-12-31")', 315_537_811_200_000_000_000],
  ])('%s is %j', (expression, expected) => {
    expect(valueOf(expression)).toBe(expected)
  })
})

describe('DATETIMEBIN', () => {
  const moment = '"2021-01-08T18:35:00.0000000"'
  const precise = "'2021-06-28T17:24:29.2991234Z'"

  it.each<[string, string | undefined]>([
    [`DateTimeBin(${moment}, "dd")`, '2021-01-08T00:00:00.0000000Z'],
    [`DateTimeBin(${moment}, "hh")`, '2021-01-08T18:00:00.0000000Z'],
    [`DateTimeBin(${moment}, "ss")`, '2021-01-08T18:35:00.0000000Z'],
    [`DateTimeBin(${moment}, "hh", 5)`, '2021-01-08T15:00:00.0000000Z'],
    [`DateTimeBin(${moment}, "dd", 7)`, '2021-01-07T00:00:00.0000000Z'],
    [`DateTimeBin(${moment}, "dd", 7, "1601-01-01T00:00:00.0000000")`, '2021-01-04T00:00:00.0000000Z'],
    [`DateTimeBin(${precise}, 'hh')`, '2021-06-28T17:00:00.0000000Z'],
    [`DateTimeBin(${precise}, 'day', 5)`, '2021-06-27T00:00:00.0000000Z'],
    [`DateTimeBin(${precise}, 'day', 5, '1970-01-01T00:00:00.0000000Z')`, '2021-06-27T00:00:00.0000000Z'],
    [`DateTimeBin(${precise}, 'day', 5, '1601-01-01T00:00:00.0000000Z')`, '2021-06-28T00:00:00.0000000Z'],
    [`DateTimeBin(${precise}, 'day', 5, '2021-01-01T00:00:00.0000000Z')`, '2021-06-25T00:00:00.0000000Z'],
    [`DateTimeBin(${precise}, 'day', 5, '0001-01-01T00:00:00.0000000Z')`, undefined],
    [`DATETIMEBIN(${precise}, "day", 5, "1600-12-31T23:59:59.9999999")`, undefined],
    ['DATETIMEBIN("1601-01-01", "day")', '1601-01-01T00:00:00.0000000Z'],
    ['DATETIMEBIN("1600-12-31", "day")', undefined],
    ['DATETIMEBIN("1969-12-31T18:00:00", "day")', '1969-12-31T00:00:00.0000000Z'],
    [`DATETIMEBIN(${precise}, "mi", 10)`, '2021-06-28T17:20:00.0000000Z'],
    [`DATETIMEBIN(${precise}, "ms")`, '2021-06-28T17:24:29.2990000Z'],
    [`DATETIMEBIN(${precise}, "mcs", 10)`, '2021-06-28T17:24:29.2991200Z'],
    [`DATETIMEBIN(${precise}, "ns", 100)`, '2021-06-28T17:24:29.2991234Z'],
    [`DATETIMEBIN(${precise}, "ns", 1000)`, '2021-06-28T17:24:29.2991230Z'],
    [`DATETIMEBIN(${precise}, "ns", 99)`, undefined],
    [`DATETIMEBIN(${precise}, "ns")`, undefined],
    [`DATETIMEBIN(${precise}, "mm")`, undefined],
    [`DATETIMEBIN(${precise}, "yyyy")`, undefined],
    [`DATETIMEBIN(${precise}, "dd", 0)`, undefined],
    [`DATETIMEBIN(${precise}, "dd", -0)`, undefined],
    [`DATETIMEBIN(${precise}, "dd", -1)`, undefined],
    [`DATETIMEBIN(${precise}, "dd", 1.5)`, undefined],
    [`DATETIMEBIN(${precise}, "dd", "1")`, undefined],
    [`DATETIMEBIN(${precise}, "dd", null)`, undefined],
    [`DATETIMEBIN(${precise}, "dd", c.nothing)`, undefined],
    [`DATETIMEBIN(${precise}, "dd", 1, c.nothing)`, undefined],
    [`DATETIMEBIN(${precise}, "dd", 1e300)`, '1970-01-01T00:00:00.0000000Z'],
    ['DATETIMEBIN("1969-12-31", "dd", 1e300)', undefined],
  ])('%s is %j', (expression, expected) => {
    expect(valueOf(expression)).toBe(expected)
  })
})

describe('DATETIMEFROMPARTS', () => {
  it.each<[string, string | undefined]>([
    ['2017, 4, 20', '2017-04-20T00:00:00.0000000Z'],
    ['2017, 4, 20, 0, 0, 0, 0', '2017-04-20T00:00:00.0000000Z'],
    ['2017, 4, 20, 13, 15, 20, 3456789', '2017-04-20T13:15:20.3456789Z'],
    ['2017, 4, 20, 13, 15', '2017-04-20T13:15:00.0000000Z'],
    ['-2000, -1, -1', undefined],
    ['2020, 9, 4', '2020-09-04T00:00:00.0000000Z'],
    ['2020, 9, 4, 10, 52, 12, 3456789', '2020-09-04T10:52:12.3456789Z'],
    ['2020, 2, 29, 23, 59, 59, 7', '2020-02-29T23:59:59.0000007Z'],
    ['1, 1, 1', '0001-01-01T00:00:00.0000000Z'],
    ['9999, 12, 31, 23, 59, 59, 9999999', '9999-12-31T23:59:59.9999999Z'],
    ['2017, 4, 20, -0', '2017-04-20T00:00:00.0000000Z'],
    ['0, 1, 1', undefined],
    ['10000, 1, 1', undefined],
    ['2019, 2, 29', undefined],
    ['2017, 0, 20', undefined],
    ['2017, 13, 20', undefined],
    ['2017, 4, 0', undefined],
    ['2017, 4, 31', undefined],
    ['2017, 4, 20, 24', undefined],
    ['2017, 4, 20, -1', undefined],
    ['2017, 4, 20, 0, 60', undefined],
    ['2017, 4, 20, 0, 0, 60', undefined],
    ['2017, 4, 20, 0, 0, 0, 10000000', undefined],
    ['2017, 4, 20, 0, 0, 0, -1', undefined],
    ['2017.5, 4, 20', undefined],
    ['"2017", 4, 20', undefined],
    ['2017, null, 20', undefined],
    ['2017, 4, c.nothing', undefined],
    ['2017, 4, 20, c.nothing', undefined],
    ['2017, 4, 20, 0/0', undefined],
    ['1e21, 4, 20', undefined],
  ])('of %s is %j', (parts, expected) => {
    expect(valueOf(`DATETIMEFROMPARTS(${parts})`)).toBe(expected)
  })
})

describe('a conversion of dates and times', () => {
  it.each<[string, unknown]>([
    ['DateTimeToTicks("2015-05-19T12:00:00.0000000")', 14320368000000000],
    ['DateTimeToTicks("2020-01-02T03:04:05.6789123Z")', 15779342456789124],
    ['DateTimeToTicks("2020-01-02T03:04:05Z")', 15779342450000000],
    ['DATETIMETOTICKS("1998-07-17T23:58:45.4740991Z")', 2 ** 53 - 1],
    ['DATETIMETOTICKS("1998-07-17T23:58:45.4740992Z")', 2 ** 53],
    ['DATETIMETOTICKS("1998-07-17T23:58:45.4740993Z")', 2 ** 53],
    ['DATETIMETOTICKS("1969-12-31T23:59:59.9999999")', -1],
    ['DATETIMETOTICKS("1970-01-01")', 0],
    ['DateTimeToTimestamp("2015-05-19T12:00:00.0000000")', 1432036800000],
    ['DateTimeToTimestamp("2020-07-09T23:20:13.4575530Z")', 1594336813457],
    ['DateTimeToTimestamp("2020-07-09")', 1594252800000],
    ['DATETIMETOTIMESTAMP("1970-01-01")', 0],
    ['DATETIMETOTIMESTAMP("1969-12-31T23:59:59.999")', -1],
    ['TicksToDateTime(15973607943002652)', '2020-08-13T23:19:54.3002652Z'],
    ['TicksToDateTime(0)', '1970-01-01T00:00:00.0000000Z'],
    ['TicksToDateTime(-116444736000000000)', '1601-01-01T00:00:00.0000000Z'],
    ['TicksToDateTime(15943368134575530)', '2020-07-09T23:20:13.4575530Z'],
    ['TICKSTODATETIME(-1)', '1969-12-31T23:59:59.9999999Z'],
    ['TICKSTODATETIME(-0)', '1970-01-01T00:00:00.0000000Z'],
    ['TICKSTODATETIME(-621355968000000000)', '0001-01-01T00:00:00.0000000Z'],
    ['TICKSTODATETIME(-621355968000000200)', undefined],
    ['TICKSTODATETIME(2534023008000000000)', undefined],
    ['TICKSTODATETIME(1e300)', undefined],
    ['TimestampToDateTime(1597360794300)', '2020-08-13T23:19:54.3000000Z'],
    ['TimestampToDateTime(0)', '1970-01-01T00:00:00.0000000Z'],
    ['TimestampToDateTime(-11644473600000)', '1601-01-01T00:00:00.0000000Z'],
    ['TIMESTAMPTODATETIME(253402300799999)', '9999-12-31T23:59:59.9990000Z'],
    ['TIMESTAMPTODATETIME(253402300800000)', undefined],
    ['TIMESTAMPTODATETIME(-1e300)', undefined],
  ])('%s is %j', (expression, expected) => {
    expect(valueOf(expression)).toBe(expected)
  })

  it.each(['0.5', '0/0', '"0"', 'null', 'c.nothing', 'c.list', 'true'])('is undefined for %s', (value) => {
    expect(valueOf(`TICKSTODATETIME(${value})`)).toBeUndefined()
    expect(valueOf(`TIMESTAMPTODATETIME(${value})`)).toBeUndefined()
  })

  it('rounds down before 1970, although no page says so', () => {
    expect(valueOf('DATETIMETOTIMESTAMP("1969-12-31T23:59:59.9999999")')).toBe(-1)
  })
})

describe('a function of dates and times', () => {
  it.each([
    'DATETIMEADD("dd", 1)',
    'DATETIMEBIN("2020-01-01")',
    'DATETIMEBIN("2020-01-01", "dd", 1, "2020-01-01", 1)',
    'DATETIMEDIFF("dd", "2020-01-01")',
    'DATETIMEFORMAT("2020-01-01")',
    'DATETIMEFROMPARTS(2017, 4)',
    'DATETIMEFROMPARTS(2017, 4, 20, 0, 0, 0, 0, 0)',
    'DATETIMEPART("dd")',
    'DATETIMETOTICKS()',
    'DATETIMETOTIMESTAMP("2020-01-01", 1)',
    'DAY()',
    'IS_DATETIME()',
    'MONTH("2020-01-01", 1)',
    'TICKSTODATETIME()',
    'TIMESTAMPTODATETIME(1, 2)',
    'YEAR()',
  ])('is refused with a wrong count of arguments: %s', (expression) => {
    expect(() => valueOf(expression)).toThrow('SC2050')
  })
})
