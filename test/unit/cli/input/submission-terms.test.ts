import { expect, it } from 'vitest'
import { termsOf } from '../../../../src/cli/input/submission-terms.js'

it('the options of `submit` become the terms of each job', () => {
  const given = {
    priority: '-2',
    completeWithin: '2h',
    retainFor: '30d',
    partitionKey: 'p',
    tag: ['a=1'],
    notify: ['finished'],
  }
  expect(termsOf(given)).toEqual({ ...given, tag: undefined, priority: -2, tags: { a: '1' } })
  expect(termsOf({})).toEqual({ tags: {} })
})

it.each(['high', '', ' '])('`--priority %j` is refused', (priority) => {
  expect(() => termsOf({ priority })).toThrow(
    `--priority is ${JSON.stringify(priority)}; it must be a number`,
  )
})

it('all problems are reported together', () => {
  const wrong = { completeWithin: 'soon', retainFor: '-1', partitionKey: '', tag: ['x'], notify: ['done'] }
  const message = /^partitionKey is "".*; completeWithin is "soon".*; retainFor is "-1".*; --tag "x" must be/
  expect(() => termsOf(wrong)).toThrow(message)
  expect(() => termsOf(wrong)).toThrow('notify is ["done"]; it must be a list of at least one of received')
})
