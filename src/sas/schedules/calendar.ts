import { Cron } from 'croner'
import { errorMessage } from '../../platform/internal.js'
import type { Calendar } from '../model/schedule-documents.js'
import { endOfLeftOut, wallClock } from './left-out-time.js'

/** The largest number of parsed patterns in memory. A process has few schedules. */
const maxParsed = 500

type CronCalendar = Exclude<Calendar, { readonly everyMs: number }>

const parsed = new Map<string, Cron>()

/**
 * Returns the due time of the first tick after `afterMs`, or null if there is none. Ticks of `everyMs` are
 * counted from 1970-01-01T00:00:00Z, so that they do not depend on the time when the schedule was created.
 */
export function nextDue(calendar: Calendar, afterMs: number): number | null {
  if ('everyMs' in calendar) return (Math.floor(afterMs / calendar.everyMs) + 1) * calendar.everyMs
  // A pattern has no fraction of a second.
  const fromMs = Math.floor(afterMs / 1_000) * 1_000
  const next = cronOf(calendar).nextRun(new Date(fromMs))?.getTime() ?? null
  const leftOut = isFixedTime(calendar.cron) ? nextLeftOut(calendar, fromMs) : null
  return leftOut !== null && leftOut > afterMs && (next === null || leftOut < next) ? leftOut : next
}

/**
 * Returns when a fixed time of day comes whose next time the zone leaves out, or null if the zone has that time.
 * Croner does not return this tick if the hour that is left out ends at midnight.
 */
function nextLeftOut({ cron, timeZone }: CronCalendar, afterMs: number): number | null {
  const wall = cronOf({ cron, timeZone: 'UTC' }).nextRun(new Date(wallClock(timeZone, afterMs)))
  return wall === null ? null : endOfLeftOut(timeZone, wall.getTime())
}

/** Checks whether a pattern has one time of day, so that it also comes if the zone leaves this time out. */
function isFixedTime(cron: string): boolean {
  return /^\d+( \d+){1,2}( \S+){3}$/.test(cron.trim().replace(/\s+/g, ' '))
}

/** Returns what is wrong with a time zone, or null. */
export function timeZoneProblem(timeZone: string): string | null {
  try {
    new Intl.DateTimeFormat('en', { timeZone })
    return null
  } catch {
    return `timeZone is ${JSON.stringify(timeZone)}; it must be a name such as "Europe/Berlin" or "UTC"`
  }
}

/** Returns what is wrong with a cron pattern, or null. */
export function cronProblem(cron: string, now: number): string | null {
  const named = `cron is ${JSON.stringify(cron)}`
  const rule =
    'it must have five fields with valid values, such as "30 2 * * 1-5" (minute, hour, day, month, weekday)'
  try {
    if (nextDue({ cron, timeZone: 'UTC' }, now) !== null) return null
  } catch (error) {
    return `${named}; ${rule} (${errorMessage(error)})`
  }
  return `${named}, which never comes`
}

function cronOf({ cron, timeZone }: CronCalendar): Cron {
  const key = `${timeZone}\n${cron}`
  const known = parsed.get(key)
  if (known !== undefined) return known
  if (parsed.size >= maxParsed) parsed.clear()
  // A paused pattern with no function has no timer.
  const made = new Cron(cron, { timezone: timeZone, paused: true, mode: '5-or-6-parts' })
  parsed.set(key, made)
  return made
}
