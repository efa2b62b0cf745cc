import { expect, it } from 'vitest'
import { IndexPending } from '../../../../src/emulator/indexes/index-pending.js'
import type { RestRequest, RestResponse } from '../../../../src/emulator/messages/rest-message.js'
import { answered } from '../../../../src/emulator/rest/answered.js'
import type { Routes } from '../../../../src/emulator/rest/routes.js'

const request: RestRequest = { method: 'GET', path: '/', headers: {}, body: '', origin: 'https://store' }
const response: RestResponse = { status: 200, headers: {}, body: 'rows' }

/** Routes whose requests need an index this many times, as long as they may wait. */
function routesThatWait(times: number, ready: () => Promise<void>): { routes: Routes; attempts: boolean[] } {
  const attempts: boolean[] = []
  const routes: Routes = (_request, mayWait = false) => {
    attempts.push(mayWait)
    if (mayWait && attempts.length <= times) throw new IndexPending(ready())
    return response
  }
  return { routes, attempts }
}

it('a request that needs no index is answered at once', () => {
  expect(answered(() => response, request)).toBe(response)
})

it('a request waits for each index, and is answered only after that', async () => {
  const finish: (() => void)[] = []
  const { routes, attempts } = routesThatWait(2, () => new Promise((resolve) => finish.push(resolve)))
  const answer = answered(routes, request)
  expect(attempts).toEqual([true])
  finish[0]?.()
  await Promise.resolve()
  await Promise.resolve()
  expect(attempts).toEqual([true, true])
  finish[1]?.()
  expect(await answer).toBe(response)
  expect(attempts).toEqual([true, true, true])
})

it('a request waits no more if an index cannot be read, or if it has waited often', async () => {
  const broken = routesThatWait(1, () => Promise.reject(new Error('a document cannot be read')))
  expect(await answered(broken.routes, request)).toBe(response)
  expect(broken.attempts).toEqual([true, false])
  const endless = routesThatWait(1_000, () => Promise.resolve())
  expect(await answered(endless.routes, request)).toBe(response)
  expect(endless.attempts.at(-1)).toBe(false)
  expect(endless.attempts).toHaveLength(22)
})

it('another error is thrown', () => {
  const routes: Routes = () => {
    throw new RangeError('broken')
  }
  expect(() => answered(routes, request)).toThrow(RangeError)
})
