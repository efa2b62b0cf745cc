import { describe, expect, it } from 'vitest'
import {
  asGiven,
  checkedOptions,
  duration,
  group,
  isObject,
  optional,
  readOptions,
  readPart,
  shown,
  text,
  wholeNumber,
} from '../../../../src/platform/options.js'

const shape = {
  name: text(),
  size: optional(wholeNumber(1), 16),
  timing: optional(group({ pollInterval: optional(duration(), 100) })),
}

describe('options', () => {
  it('have their defaults where they are missing or null', () => {
    const values = { name: 'a', size: 16, timing: undefined }
    expect(readOptions(shape, { name: 'a' })).toEqual({ values, problems: [] })
    expect(readOptions(shape, { name: 'a', size: null, timing: undefined })).toEqual({ values, problems: [] })
    expect(readOptions(shape, { name: 'a', timing: {} }).values.timing).toEqual({ pollInterval: 100 })
  })

  it('have all their problems reported at once', () => {
    const given = { Name: 'a', sise: 1, size: 0, timing: { pollIntervalMs: 5, pollInterval: 'soon' } }
    expect(readOptions(shape, given)).toEqual({
      values: { name: undefined, size: 16, timing: undefined },
      problems: [
        'Name is not an option: did you mean name?',
        'sise is not an option: did you mean size?',
        'name is missing; it must be a string that is not empty',
        'size is 0; it must be a whole number from 1',
        'timing.pollIntervalMs is not an option: did you mean pollInterval?',
        'timing.pollInterval is "soon"; it must be a duration from 1 ms to 100 years, such as 30000 or \'30s\'',
      ],
    })
  })

  it('are refused if they are no object', () => {
    for (const [given, text] of [
      [undefined, 'missing'],
      [null, 'null'],
      ['shop', '"shop"'],
      [['shop'], '["shop"]'],
    ] as const) {
      const { problems } = readOptions({ size: shape.size }, given as unknown as object)
      expect(problems).toEqual([`the argument is ${text}; it must be an object`])
    }
  })

  it('report `constructor` as unknown, although every object has it', () => {
    expect(readOptions({ size: shape.size }, { constructor: 1 }).problems).toEqual([
      'constructor is not an option: the options are size',
    ])
  })

  it('can be read from an object that has other properties as well', () => {
    expect(readPart({ size: shape.size }, { size: 2, other: 1 })).toEqual({
      values: { size: 2 },
      problems: [],
    })
  })

  it('can be passed on as given after they are checked', () => {
    const kind = asGiven<{ readonly pollInterval: string }>(group({ pollInterval: duration() }))
    expect(readOptions({ kind }, { kind: { pollInterval: '1s' } }).values.kind).toEqual({
      pollInterval: '1s',
    })
    expect(readOptions({ kind }, { kind: { pollInterval: 0 } }).problems).toHaveLength(1)
  })

  it('are returned if they are valid, and refused with all problems if not', () => {
    const refusal = (problems: readonly string[]) => new RangeError(problems.join('; '))
    expect(checkedOptions({ size: shape.size }, { size: 2 }, refusal)).toEqual({ size: 2 })
    expect(() => checkedOptions(shape, { size: 0 }, refusal)).toThrow(/^name is missing; .*; size is 0; /)
  })
})

describe('a value in a problem', () => {
  it.each<[unknown, string]>([
    [undefined, 'missing'],
    [null, 'null'],
    ['a\n', String.raw`"a\n"`],
    [-0.5, '-0.5'],
    [10n, '10'],
    [true, 'true'],
    [Symbol('s'), 'a symbol'],
    [() => 1, 'a function'],
    [{ key: 'secret' }, 'an object'],
    [new Date(0), '1970-01-01T00:00:00.000Z'],
    [new Date(Number.NaN), 'an invalid Date'],
    [[1, 'a', { key: 'secret' }], '[1, "a", an object]'],
    [[1, 2, 3, 4, 5], '[1, 2, 3, 4, 5]'],
    [[1, 2, 3, 4, 5, 6], '[1, 2, 3, 4, 5, …]'],
  ])('is shown without the properties of objects: %s', (value, text) => {
    expect(shown(value)).toBe(text)
  })
})

it('null is not an object', () => {
  expect(isObject(null)).toBe(false)
})
