/** The texts that show times, numbers and values. No function here reads the page. */

/**
 * Returns a time of the day, with its date if the date is not the one of `now`.
 *
 * @param {string} at
 * @param {number} now
 */
export function momentText(at, now) {
  const today = new Date(now).toISOString().slice(0, 10)
  return at.startsWith(today) ? `${at.slice(11, 19)}Z` : `${at.slice(0, 10)} ${at.slice(11, 19)}Z`
}

/** @param {number | null} ms */
export function durationText(ms) {
  if (ms === null || Number.isNaN(ms)) return '?'
  const seconds = Math.max(0, ms) / 1_000
  if (seconds < 1) return `${Math.round(seconds * 1_000)} ms`
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`
  return `${Math.floor(seconds / 86_400)} d`
}

/**
 * @param {string} at
 * @param {number} now
 */
export function agoText(at, now) {
  return `${durationText(now - Date.parse(at))} ago`
}

/**
 * Returns how long it is until a time, with hours besides days and minutes besides hours.
 *
 * @param {string} at
 * @param {number} now
 */
export function untilText(at, now) {
  const minutes = Math.floor((Date.parse(at) - now) / 60_000)
  if (minutes < 60) return Date.parse(at) <= now ? 'now' : `in ${durationText(Date.parse(at) - now)}`
  const hours = Math.floor(minutes / 60)
  const [large, small] =
    hours < 24
      ? [`${hours} h`, minutes % 60 === 0 ? '' : ` ${minutes % 60} min`]
      : [`${Math.floor(hours / 24)} d`, hours % 24 === 0 ? '' : ` ${hours % 24} h`]
  return `in ${large}${small}`
}

/**
 * Returns a sentence of the server with its times as the page writes them. A text of a user may contain a time too, so
 * only a time after "since" or "until" is rewritten.
 *
 * @param {string} sentence
 * @param {number} now
 */
export function withMoments(sentence, now) {
  return sentence.replaceAll(/(?<=\b(?:since|until) )\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ(?=[\s.,;)]|$)/gu, (at) =>
    momentText(at, now),
  )
}

const units = /** @type {const} */ ([
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
])

/**
 * Returns a duration as an option accepts it, such as `90m`.
 *
 * @param {number} ms
 */
export function lengthText(ms) {
  const [name, unitMs] = units.find(([, least]) => ms > 0 && ms % least === 0) ?? ['ms', 1]
  return `${ms / unitMs}${name}`
}

/**
 * Returns a number of request units with two digits, or without any if it is large.
 *
 * @param {number} value
 */
export function unitsText(value) {
  if (value > 0 && value < 0.005) return '< 0.01'
  return value >= 100
    ? Math.round(value).toLocaleString('en')
    : value.toFixed(Number.isInteger(Math.round(value * 100) / 100) ? 0 : 2)
}

/**
 * @param {number} jobs
 * @param {number} charge
 */
export function chargeText(jobs, charge) {
  return `${counted(jobs, 'job', 'jobs')} shown, read for ${unitsText(charge)} RU.`
}

/**
 * @param {number} count
 * @param {string} one
 * @param {string} more
 */
export function counted(count, one, more) {
  return `${count} ${count === 1 ? one : more}`
}

const longest = 200_000

/**
 * Returns a value as indented JSON. A very long text is cut, because it would stop the browser.
 *
 * @param {unknown} value
 */
export function jsonText(value) {
  const text = JSON.stringify(value, null, 2)
  return text.length > longest
    ? `${text.slice(0, longest)}\n… ${text.length - longest} more characters`
    : text
}

/**
 * Returns one line for each input that an operator changed.
 *
 * @param {import('./shapes.js').Edit | undefined} edit
 * @returns {string[]}
 */
export function editLines(edit) {
  if (edit === undefined) return []
  if (edit.changes.length === 0) return ['the new input is the same as the old one']
  const lines = edit.changes.map(
    ({ stepId, path, before, after }) =>
      `${stepId === null ? '' : `${stepId} `}${path}: ${before ?? 'nothing'} → ${after ?? 'nothing'}`,
  )
  return edit.others === 0
    ? lines
    : [...lines, `and ${counted(edit.others, 'other change', 'other changes')}`]
}
