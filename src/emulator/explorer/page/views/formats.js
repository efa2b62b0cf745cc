/**
 * Returns a time in the machine's time zone, such as `2026-11-22 21:07:47`.
 *
 * @param {unknown} seconds since the epoch
 */
export function timeText(seconds) {
  if (typeof seconds !== 'number') return ''
  const date = new Date(seconds * 1_000)
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 19).replace('T', ' ')
}

/**
 * Returns a value as a cell of a table shows it. A missing value has no text.
 *
 * @param {unknown} value
 */
export function cellText(value) {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/**
 * Returns a value as indented JSON.
 *
 * @param {unknown} value
 */
export function jsonText(value) {
  return JSON.stringify(value, null, 2)
}

/**
 * Returns an item without the properties that the account itself writes.
 *
 * @param {Readonly<Record<string, unknown>>} item
 */
export function ownProperties(item) {
  const system = new Set(['_rid', '_self', '_etag', '_attachments', '_ts', '_lsn'])
  return Object.fromEntries(Object.entries(item).filter(([name]) => !system.has(name)))
}

/**
 * Returns a number with its noun, such as `1 item` or `2 items`.
 *
 * @param {number} count
 * @param {string} noun
 */
export function counted(count, noun) {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}
