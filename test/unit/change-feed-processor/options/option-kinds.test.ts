import { describe, expect, it } from 'vitest'
import { ProcessorOptionsError } from '../../../../src/change-feed-processor/feed/errors.js'
import { assertFitting, fittingOptions } from '../../../../src/change-feed-processor/options/option-kinds.js'
import { countProblems } from '../../../../src/change-feed-processor/options/option-rules.js'

const act = (): undefined => undefined
const readable = { readNext: act, physicalRanges: act }
const listable = { list: act, initialization: {} }

describe('an option of the right kind', () => {
  it.each<[string, unknown]>([
    ['monitoredContainer', readable],
    ['leaseContainer', listable],
    ['maxItemCount', 0],
    ['pollIntervalMs', 5],
    ['pollIntervalMs', { min: 1, max: 2 }],
    ['startFrom', 'now'],
    ['startFrom', 'beginning'],
    ['to', new Date(0)],
    ['failurePolicy', { deadLetter: null }],
    ['onError', act],
    ['hints', { subscribe: act }],
    ['telemetry', { emit: act }],
    ['clock', { now: act, monotonic: act, sleep: act, schedule: act }],
    ['random', { next: act, id: act }],
    ['an option of no known kind', Symbol('any')],
  ])('%s is taken as it is', (name, value) => {
    expect(fittingOptions({ [name]: value }, [])).toEqual({ fitting: { [name]: value }, problems: [] })
  })

  it.each([null, undefined])('that is %j means its default', (value) => {
    expect(fittingOptions({ maxItemCount: value }, [])).toEqual({ fitting: {}, problems: [] })
  })
})

describe('an option of the wrong kind', () => {
  const aClock = 'it must be a Clock'
  it.each<[string, unknown, string]>([
    [
      'monitoredContainer',
      { readNext: act },
      'an object of another kind; it must be a Container of @azure/cosmos, or a ChangeFeed',
    ],
    [
      'monitoredContainer',
      { physicalRanges: act },
      'an object of another kind; it must be a Container of @azure/cosmos, or a ChangeFeed',
    ],
    [
      'leaseContainer',
      { list: act },
      'an object of another kind; it must be a Container of @azure/cosmos, or a LeaseStore',
    ],
    [
      'leaseContainer',
      { initialization: {} },
      'an object of another kind; it must be a Container of @azure/cosmos, or a LeaseStore',
    ],
    ['processorName', 7, '7 (number); it must be a string'],
    ['maxItemCount', '5', '"5"; it must be a number'],
    ['maxItemCount', Number.NaN, 'NaN (number); it must be a number'],
    ['maxItemCount', true, 'true (boolean); it must be a number'],
    ['maxItemCount', [5], 'an array; it must be a number'],
    ['pollIntervalMs', { min: 1 }, 'an object of another kind; it must be a number, or { min, max }'],
    ['pollIntervalMs', { max: 1 }, 'an object of another kind; it must be a number, or { min, max }'],
    ['pollIntervalMs', 'min max', '"min max"; it must be a number, or { min, max }'],
    ['startFrom', 'later', '"later"; it must be "now", "beginning" or a Date'],
    ['failurePolicy', 'deadLetter', '"deadLetter"; it must be an object with a deadLetter'],
    ['onError', 'log', '"log"; it must be a function'],
    ['hints', act, 'a function; it must be FeedHints'],
    ['hints', {}, 'an object of another kind; it must be FeedHints'],
    ['telemetry', { emit: 'x' }, 'an object of another kind; it must be a Telemetry sink'],
    ['clock', { monotonic: act, sleep: act, schedule: act }, `an object of another kind; ${aClock}`],
    ['clock', { now: act, sleep: act, schedule: act }, `an object of another kind; ${aClock}`],
    ['clock', { now: act, monotonic: act, schedule: act }, `an object of another kind; ${aClock}`],
    ['clock', { now: act, monotonic: act, sleep: act }, `an object of another kind; ${aClock}`],
    ['random', { id: act }, 'an object of another kind; it must be a Random'],
    ['random', { next: act }, 'an object of another kind; it must be a Random'],
  ])('%s: %j is named with its rule, and left out', (name, value, problem) => {
    expect(fittingOptions({ [name]: value }, [])).toEqual({
      fitting: {},
      problems: [`${name} is ${problem}`],
    })
  })

  it.each(['no object', 5, true])('is refused without failing: %j', (value) => {
    expect(fittingOptions({ hints: value, failurePolicy: value }, []).problems).toHaveLength(2)
  })

  it('is missing where it is required, undefined as well as null', () => {
    const given = { processorName: undefined, instanceName: null, leaseContainer: undefined }
    const { problems } = fittingOptions(given, ['processorName', 'instanceName'])
    expect(problems).toEqual([
      'processorName is missing; it must be a string',
      'instanceName is missing; it must be a string',
    ])
  })

  it('is refused where all must fit, with every other problem', () => {
    const options = { processorName: 7, leaseContainer: null }
    expect(() => assertFitting(options, ['leaseContainer'])).toThrow(ProcessorOptionsError)
    expect(() => assertFitting(options, ['leaseContainer'])).toThrow(
      /leaseContainer is missing.*processorName is 7/s,
    )
    expect(() => assertFitting({ processorName: 'unit' }, ['processorName'])).not.toThrow()
  })
})

describe('a number that counts', () => {
  it.each([
    [1, true],
    [5, true],
    [0, false],
    [6, false],
    [1.5, false],
    [Number.NaN, false],
  ])('from 1 to 5 may be %d: %s', (value, isFine) => {
    expect(countProblems([['size', value, 1, 5]])).toEqual(
      isFine ? [] : [`size is ${value}; it must be a whole number from 1 to 5`],
    )
  })

  it('may have no upper bound', () => {
    expect(countProblems([['size', 0, 1, Infinity]])).toEqual([
      'size is 0; it must be a whole number, at least 1',
    ])
  })
})
