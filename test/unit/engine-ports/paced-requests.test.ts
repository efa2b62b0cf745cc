import { expect, it } from 'vitest'
import type { DoorRequest } from '../../../src/engine-ports/door/door-messages.js'
import { PacedRequests } from '../../../src/engine-ports/door/paced-requests.js'

function paced() {
  const begun: number[] = []
  const ends: (() => void)[] = []
  const sent = { unsentBytes: 0 }
  const requests = new PacedRequests({
    isLarge: ([, method]) => method === 'read',
    unsentBytes: () => sent.unsentBytes,
    answer: ([id]) => {
      begun.push(id)
      return new Promise((resolve) => ends.push(resolve))
    },
  })
  return { begun, ends, sent, requests }
}

const some = (count: number, method: string): DoorRequest[] =>
  Array.from({ length: count }, (_, index) => [index + 1, method])
const afterThisTurn = () => new Promise((resolve) => setImmediate(resolve))

it('begins all small requests at once, and at most sixteen large ones (F-X29)', async () => {
  const { begun, ends, requests } = paced()
  requests.take([...some(100, 'apply'), ...some(40, 'read'), [1_000, 'apply']])
  expect(begun).toHaveLength(100 + 16)
  ends[100]?.()
  ends[101]?.()
  await afterThisTurn()
  expect(begun).toHaveLength(100 + 18)
  for (const end of ends) end()
  await afterThisTurn()
  for (const end of ends) end()
  await afterThisTurn()
  expect(begun.slice(100)).toEqual([...some(40, 'read').map(([id]) => id), 1_000])
})

it('begins no request while the process does not take its answers (F-X29)', () => {
  const { begun, sent, requests } = paced()
  sent.unsentBytes = 8 * 1024 * 1024 + 1
  requests.take(some(3, 'apply'))
  expect(begun).toEqual([])
  sent.unsentBytes = 0
  requests.continue()
  expect(begun).toEqual([1, 2, 3])
})

it('drops what waits when the connection ends', async () => {
  const { begun, ends, requests } = paced()
  requests.take(some(20, 'read'))
  requests.end()
  for (const end of ends) end()
  await afterThisTurn()
  expect(begun).toHaveLength(16)
})

it('begins each request once, although an answer that leaves at once lets the next requests begin (F-X29)', () => {
  const begun: number[] = []
  const requests: PacedRequests = new PacedRequests({
    isLarge: () => false,
    unsentBytes: () => 0,
    answer: ([id]) => {
      begun.push(id)
      if (id % 8 === 0) requests.continue()
      return Promise.resolve()
    },
  })
  requests.take(some(40, 'await'))
  requests.take(some(3, 'await'))
  expect(begun).toEqual([...some(40, ''), ...some(3, '')].map(([id]) => id))
})
