import type { ScheduleDocument } from '../model/schedule-documents.js'
import { nextDue } from './calendar.js'
import type { Tick } from './counted-ticks.js'
import { ticksBetween } from './ticks-between.js'

type Times = Pick<ScheduleDocument, 'calendar' | 'scheduleId'>

/** A time in the past is not searched for ticks beyond this age, which is four leap years. */
const longestMs = 4 * 366 * 86_400_000
const mostTicks = 100_000

/** Returns the due times of the next ticks after a time, the earliest first. */
export function ticksAfter({ calendar }: Times, afterMs: number, count: number): readonly number[] {
  const due: number[] = []
  for (let next = nextDue(calendar, afterMs); next !== null && due.length < count;) {
    due.push(next)
    next = nextDue(calendar, next)
  }
  return due
}

/**
 * Returns the last ticks that were due until a time, the latest first. The calendar knows only the next tick,
 * so ever longer times are searched, beginning with the distance of the next ticks.
 */
export function ticksBefore(times: Times, untilMs: number, count: number): readonly Tick[] {
  const [first = untilMs, second = first + longestMs] = ticksAfter(times, untilMs, 2)
  for (let searchedMs = (second - first) * (count + 1); ; searchedMs *= 4) {
    const found = ticksBetween(times, untilMs - Math.min(searchedMs, longestMs), untilMs, mostTicks) ?? []
    if (found.length >= count || searchedMs >= longestMs) return found.slice(-count).reverse()
  }
}
