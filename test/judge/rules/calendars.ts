import type { Fields } from './history.js'
import { numberIn, objectIn } from './world.js'

/** The rule by which a schedule comes, as far as runs of seconds need it. */
export interface Calendar {
  readonly isTick: (dueMs: number) => boolean
  /** The time between two moments at which a tick can come. */
  readonly stepMs: number
}

/** Returns the calendar of a stored schedule. */
export function calendarOf(schedule: Fields): Calendar {
  const calendar = objectIn(schedule, 'calendar')
  const everyMs = numberIn(calendar, 'everyMs')
  if (!Number.isNaN(everyMs)) return { isTick: (dueMs) => dueMs % everyMs === 0, stepMs: everyMs }
  return { isTick: patternOf(String(calendar['cron'])), stepMs: 1_000 }
}

/**
 * Returns whether a pattern of six fields has a tick at a time. Only the seconds may differ from `*`, so that the
 * time zone does not matter.
 */
function patternOf(cron: string): (dueMs: number) => boolean {
  const [seconds = '', ...others] = cron.split(' ')
  if (others.length !== 5 || others.some((field) => field !== '*'))
    throw new RangeError(`the cron pattern ${JSON.stringify(cron)} is not one of seconds`)
  const isSecond = fieldOf(seconds)
  return (dueMs) => dueMs % 1_000 === 0 && isSecond((dueMs / 1_000) % 60)
}

/** Returns whether a number fits a field: `*`, a step such as `*` + `/3`, a range, or a list of these. */
function fieldOf(field: string): (value: number) => boolean {
  const parts = field.split(',').map((part): ((value: number) => boolean) => {
    const [range = '', step = '1'] = part.split('/')
    const [from, to] =
      range === '*' ? [0, 59] : [Number(range.split('-')[0]), Number(range.split('-').at(-1))]
    return (value) => from <= value && value <= to && (value - from) % Number(step) === 0
  })
  return (value) => parts.some((fits) => fits(value))
}

/** Returns the due times of all ticks from the first to the last time, both included. */
export function ticksBetween({ isTick, stepMs }: Calendar, fromMs: number, untilMs: number): number[] {
  const ticks: number[] = []
  for (let dueMs = fromMs; dueMs <= untilMs; dueMs += stepMs) if (isTick(dueMs)) ticks.push(dueMs)
  return ticks
}
