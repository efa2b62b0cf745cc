import { expect, it } from 'vitest'
import { notifyingProblems } from '../../../src/host/notifying.js'

it('takes nothing, and everything that makes sense', () => {
  expect(notifyingProblems({})).toEqual([])
  const alertWebhook = 'https://chat.example/hook'
  expect(notifyingProblems({ alertWebhook, remindAfterMs: 1_000, sendTimeoutMs: 1 })).toEqual([])
})

it('says all that is wrong at once', () => {
  expect(
    notifyingProblems({ alertWebhook: 'ftp://x', remindAfterMs: 999, sendTimeoutMs: Number.NaN }),
  ).toEqual([
    'alertWebhook "ftp://x" must be a URL that begins with http:// or https://',
    'remindAfterMs 999 must be at least 1,000',
    'sendTimeoutMs NaN must be at least 1',
  ])
})
