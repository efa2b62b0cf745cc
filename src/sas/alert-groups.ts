import { NotDelivered } from './webhook.js'

/** How an alert may be told after calls that failed. */
export interface Telling {
  /** The most alerts of one call with this one among them. */
  readonly atMost: number
  /** Calls with this alert that failed. */
  readonly failures: number
}

/** An alert that no call has failed with. */
export const firstTelling: Telling = { atMost: Infinity, failures: 0 }

const retryAfterMs = 30_000
const maxRetryAfterMs = 3_600_000

/**
 * How alerts are told now: one by one where `freeCalls` suffice, else those that no call failed with in one call, and
 * the others in calls as small as their failures ask for. What needs more calls than are free waits.
 */
export function groupsOf<T extends Telling>(
  pending: readonly T[],
  freeCalls: number,
): { readonly now: readonly (readonly T[])[]; readonly later: readonly T[] } {
  if (pending.length <= freeCalls) return { now: pending.map((one) => [one]), later: [] }
  const groups: T[][] = []
  for (const one of [...pending].sort((a, b) => compare(b.atMost, a.atMost))) {
    const last = groups.at(-1)
    if (last?.[0]?.atMost === one.atMost && last.length < one.atMost) last.push(one)
    else groups.push([one])
  }
  return { now: groups.slice(0, freeCalls), later: groups.slice(freeCalls).flat() }
}

/** Subtracting does not do: the difference of two infinities is no number. */
function compare(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1
}

/**
 * How an alert is told again after a call for `count` alerts failed. A receiver that refuses a message may refuse it for
 * one alert in it, or for its size, so the next calls are half as large, at once. A receiver that does not answer or
 * turns everybody away is asked again later, for as many. An alert that is refused alone is told ever more rarely.
 */
export function afterFailure(
  { atMost, failures }: Telling,
  count: number,
  error: unknown,
): Telling & { readonly afterMs: number } {
  const isSmaller = count > 1 && !isAboutReceiver(error)
  const isRefused = !isAboutReceiver(error) && isAboutMessage(error)
  const doublings = isRefused && count === 1 ? failures : 0
  const pauseMs = Math.min(retryAfterMs * 2 ** doublings, maxRetryAfterMs)
  return {
    atMost: isSmaller ? Math.ceil(count / 2) : atMost,
    failures: failures + 1,
    afterMs: isSmaller && isRefused ? 0 : pauseMs,
  }
}

/** Statuses that say nothing of the message: who asks, where, how often, and that it took too long. */
const aboutReceiver: readonly number[] = [401, 403, 404, 408, 429]

function isAboutReceiver(error: unknown): boolean {
  const status = statusOf(error)
  return status === null ? error instanceof NotDelivered : aboutReceiver.includes(status)
}

function isAboutMessage(error: unknown): boolean {
  const status = statusOf(error)
  return status !== null && status >= 400 && status < 500
}

function statusOf(error: unknown): number | null {
  if (typeof error !== 'object' || error === null) return null
  const status: unknown = Reflect.get(error, 'status')
  return typeof status === 'number' ? status : null
}
