import { h } from './dom.js'
import { cellText } from './formats.js'

const mostColumns = 40

/**
 * Returns the columns of rows: the properties of objects, in the order in which they first appear. Returns
 * null if a row is not an object.
 *
 * @param {readonly unknown[]} rows
 * @returns {readonly string[] | null}
 */
export function columnsOf(rows) {
  if (!rows.every((row) => typeof row === 'object' && row !== null && !Array.isArray(row))) return null
  const names = new Set(rows.flatMap((row) => Object.keys(/** @type {object} */ (row))))
  return [...names].slice(0, mostColumns)
}

/**
 * Creates a table of rows of a query.
 *
 * @param {readonly unknown[]} rows
 */
export function rowsTable(rows) {
  const columns = columnsOf(rows)
  const cellsOf = (/** @type {any} */ row) =>
    columns === null ? [row] : columns.map((name) => ownValue(row, name))
  return table(
    columns ?? ['value'],
    rows.map((row) => cellsOf(row).map(cellText)),
  )
}

/**
 * Returns a property of a row. A name such as `constructor` must not find what every object inherits.
 *
 * @param {any} row
 * @param {string} name
 */
function ownValue(row, name) {
  return Object.hasOwn(row, name) ? row[name] : undefined
}

/**
 * Creates a table that scrolls sideways if it is wider than the page.
 *
 * @param {readonly string[]} headings
 * @param {readonly (readonly (string | Node)[])[]} rows
 */
export function table(headings, rows) {
  const heading = (/** @type {string} */ text) => h('th', { scope: 'col' }, text)
  const cell = (/** @type {string | Node} */ content) =>
    h('td', typeof content === 'string' ? { title: content } : {}, content)
  return h(
    'div',
    { className: 'scroll', tabIndex: 0, role: 'region', 'aria-label': 'Table' },
    h(
      'table',
      {},
      h('thead', {}, h('tr', {}, ...headings.map(heading))),
      h('tbody', {}, ...rows.map((row) => h('tr', {}, ...row.map(cell)))),
    ),
  )
}
