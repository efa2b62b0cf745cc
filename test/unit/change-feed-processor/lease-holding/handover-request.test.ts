import { expect, it } from 'vitest'
import type { LeaseOwner } from '../../../../lease-store/index.js'
import { HandoverRequest } from '../../../../src/change-feed-processor/lease-holding/handover-request.js'
import type { ResolvedOptions } from '../../../../src/change-feed-processor/options/options.js'
import { VirtualClock } from '../../../../src/platform/index.js'
import { noProcesses } from '../../../../src/platform/internal.js'
import { aLease } from '../../../support/a-lease.js'

const intervalMs = 20_000
const [second, third] = ['second', 'third'].map((name) => ({ instanceName: name, incarnation: name })) as [
  LeaseOwner,
  LeaseOwner,
]

/** A request for a lease that was written at 0 s by both clocks. `at` is a lease as it was stored at a time. */
function requested() {
  const clock = new VirtualClock()
  const startMs = clock.monotonic()
  const options = { leaseAcquireIntervalMs: intervalMs, processes: noProcesses } as unknown as ResolvedOptions
  const at = (seconds: number, handover: LeaseOwner | null) =>
    aLease({ handover, storedAtMs: seconds * 1_000 })
  const request = new HandoverRequest({ clock, options }, at(0, null), startMs, () => Promise.resolve(true))
  /** Lets time pass until the lease is due, and returns the seconds since the beginning. */
  const dueAfter = async (): Promise<number> => {
    while (!request.due.aborted) await clock.advance(500)
    return (clock.monotonic() - startMs) / 1_000
  }
  return { clock, startMs, request, at, dueAfter }
}

it('a request is due 85 % of an interval after it was written, whenever its owner reads it', async () => {
  const { clock, request, at, dueAfter } = requested()
  await clock.advance(9_000)
  request.note(at(4, second))
  expect(await dueAfter()).toBe(4 + 17)
})

it('a request that its owner reads later is due shortly before the second look of the requester', async () => {
  const { clock, request, at, dueAfter } = requested()
  await clock.advance(25_000)
  request.note(at(4, second))
  expect(await dueAfter()).toBe(4 + 35)
})

it('the time of a request counts from the last write of its owner', async () => {
  const { clock, startMs, request, at, dueAfter } = requested()
  await clock.advance(30_000)
  // The clock of the store is an hour ahead.
  request.noteWrite(at(3_630, null), startMs + 30_000)
  await clock.advance(8_000)
  request.note(at(3_632, second))
  expect(await dueAfter()).toBe(32 + 17)
})

it('a request that replaces another one has its own time', async () => {
  const { request, at, dueAfter } = requested()
  request.note(at(0, second))
  request.note(at(10, third))
  expect(await dueAfter()).toBe(10 + 17)
})

it('a request that is read again keeps its time', async () => {
  const { request, at, dueAfter } = requested()
  request.note(at(0, second))
  request.note(at(10, second))
  expect(await dueAfter()).toBe(17)
})

it('no request is due after it was withdrawn, or after its lease was closed', async () => {
  const { clock, request, at } = requested()
  request.note(at(0, second))
  request.note(at(1, null))
  expect(clock.pendingTimers).toBe(0)
  request.note(at(2, second))
  request.cancel()
  expect(clock.pendingTimers).toBe(0)
  await clock.advance(60_000)
  expect(request.due.aborted).toBe(false)
})
