import { readPage } from '../account/queries.js'
import { keyValuesOf, namesIn } from '../account/partition-keys.js'
import { keyPathsOf } from '../account/resources.js'
import { button, empty, field, fill, h, textOf } from './dom.js'
import { cellText, ownProperties, timeText } from './formats.js'
import { editItem } from './item-editor.js'
import { table } from './rows-table.js'

/**
 * @typedef {import('../account/account.js').Account} Account
 * @typedef {import('../account/items.js').Item} Item
 * @typedef {import('../account/queries.js').Page} Page
 * @typedef {import('../account/resources.js').ContainerPlace} ContainerPlace
 */

const pageSize = 50

/**
 * Shows the items of a container page by page.
 *
 * @param {Account} account
 * @param {ContainerPlace} place
 */
export function itemsView(account, place) {
  const filter = h('input', {
    name: 'filter',
    placeholder: "c.total > 10 AND c.city = 'Oslo'",
    autocomplete: 'off',
    spellcheck: false,
  })
  const results = h('div', { className: 'results' })
  const position = h('span', { className: 'quiet' })
  /** @type {(string | null)[]} the continuations of the pages up to the present one */
  let path = [null]
  /** @type {string | null} */
  let following = null

  const show = async () => {
    results.ariaBusy = 'true'
    try {
      const text = queryOf(filter.value)
      const page = await readPage(account, place, { text, pageSize, continuation: path.at(-1) ?? null })
      following = page.continuation
      fill(position, positionText(path.length, page))
      fill(
        results,
        listOf(place, page, filter.value, (item) => open(item)),
      )
    } catch (error) {
      following = null
      fill(position)
      fill(results, h('p', { className: 'problem', role: 'alert' }, textOf(error)))
    } finally {
      results.ariaBusy = null
      previous.disabled = path.length === 1
      next.disabled = following === null
    }
  }
  const first = () => {
    path = [null]
    return show()
  }
  const open = async (/** @type {Item | null} */ item) => {
    if (await editItem(account, place, item)) await show()
  }
  const previous = button('‹ Previous', () => {
    path = path.slice(0, -1)
    return show()
  })
  const next = button('Next ›', () => {
    path = [...path, following]
    return show()
  })
  const form = h(
    'form',
    { className: 'bar' },
    field('WHERE', filter),
    h('button', {}, 'Filter'),
    button('New item', () => open(null), { className: 'primary' }),
  )
  form.onsubmit = (event) => {
    event.preventDefault()
    void first()
  }
  void show()
  return {
    element: h('div', {}, form, h('div', { className: 'bar' }, previous, next, position), results),
  }
}

/**
 * Returns the properties that the other columns do not show.
 *
 * @param {Item} item
 * @param {readonly string[]} paths
 */
function contentOf(item, paths) {
  const shown = new Set(['id', ...paths.map(namesIn).flatMap((names) => (names.length === 1 ? names : []))])
  return Object.fromEntries(Object.entries(ownProperties(item)).filter(([name]) => !shown.has(name)))
}

/** @param {string} filter */
export function queryOf(filter) {
  const condition = filter.trim().replace(/^where\b/iu, '')
  if (condition === '') return 'SELECT * FROM c'
  return /^\s*order\s+by\b/iu.test(condition)
    ? `SELECT * FROM c ${condition}`
    : `SELECT * FROM c WHERE ${condition}`
}

/**
 * @param {number} number
 * @param {Page} page
 */
function positionText(number, { rows, charge }) {
  const from = (number - 1) * pageSize
  const shown = rows.length === 0 ? 'no items' : `items ${from + 1} to ${from + rows.length}`
  return `Page ${number}: ${shown} · ${charge} RU`
}

/**
 * @param {ContainerPlace} place
 * @param {Page} page
 * @param {string} filter
 * @param {(item: Item) => unknown} open
 */
function listOf(place, { rows }, filter, open) {
  if (rows.length === 0) {
    return filter.trim() === ''
      ? empty('This container has no items. Create one with “New item”, or let your program write some.')
      : empty('No item passes this filter. In the filter, an item is called c.')
  }
  const paths = keyPathsOf(place).filter((path) => path !== '/id')
  return table(
    ['id', ...paths, 'changed', 'content'],
    rows.map((row) => {
      const item = /** @type {Item} */ (row)
      const link = button(cellText(item['id']), () => open(item), { className: 'link' })
      const keys = keyValuesOf(item, paths).map(cellText)
      return [link, ...keys, timeText(item['_ts']), JSON.stringify(contentOf(item, paths))]
    }),
  )
}
