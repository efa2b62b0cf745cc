import { expect, it } from 'vitest'
import { CallBudget } from '../../../../src/sas/notifier/call-budget.js'

it('a call budget limits the calls in any minute, and tells when the next one is free', () => {
  const calls = new CallBudget(2)
  expect([calls.free(0), calls.freeInMs(0)]).toEqual([2, 0])
  calls.take(0)
  calls.take(10_000)
  expect([calls.free(10_000), calls.freeInMs(10_000)]).toEqual([0, 50_000])
  expect(calls.freeInMs(59_999)).toBe(1)
  expect([calls.free(60_000), calls.freeInMs(60_000)]).toEqual([1, 0])
  calls.take(60_000)
  expect(calls.freeInMs(60_000), 'the second one is still counted').toBe(10_000)
  expect(calls.free(200_000)).toBe(2)
})
