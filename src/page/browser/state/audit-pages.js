/** @import { AuditPage, AuditRow } from './shapes.js' */

/**
 * Returns the decisions of several pages, the newest first. A page has all decisions about its jobs, so the
 * last page may have decisions that are older than some of the next page. These are held back.
 *
 * @param {readonly AuditPage[]} pages
 * @returns {AuditRow[]}
 */
export function knownDecisions(pages) {
  const until = Date.parse(pages.at(-1)?.next ?? '')
  const rows = pages.flatMap((page) => page.rows)
  const known = Number.isNaN(until) ? rows : rows.filter(({ at }) => Date.parse(at) >= until)
  return known.sort((one, other) => Date.parse(other.at) - Date.parse(one.at))
}

/**
 * Returns what an empty list says. Only the decisions that were read are searched.
 *
 * @param {string} text
 * @param {boolean} hasMore
 * @param {number} read
 */
export function noneText(text, hasMore, read) {
  if (text.trim() === '') return 'No operator has decided anything.'
  if (!hasMore) return 'No decision matches.'
  return `None of the newest ${read} decisions matches. Older ones were not searched yet.`
}
