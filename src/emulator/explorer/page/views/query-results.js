import { indexFactsIn, metricsIn } from '../account/query-facts.js'
import { button, empty, fill, h } from './dom.js'
import { counted, jsonText } from './formats.js'
import { rowsTable, table } from './rows-table.js'

/** @typedef {import('./query-view.js').Outcome} Outcome */

/** Whether rows are shown as JSON. */
let isJson = false

/**
 * @param {Outcome} outcome
 * @param {() => unknown} more reads the next page
 */
export function rowsPanel({ rows, pages }, more) {
  const body = h('div')
  const draw = () => {
    fill(body, isJson ? h('pre', {}, jsonText(rows)) : rowsTable(rows))
  }
  const form = h('input', { type: 'checkbox', checked: isJson })
  form.onchange = () => {
    isJson = form.checked
    draw()
  }
  draw()
  const isComplete = pages.at(-1)?.continuation === null
  const summary = `${counted(rows.length, 'row')}${isComplete ? '' : ' so far'} · ${chargeText(pages)}`
  return h(
    'section',
    {},
    h('div', { className: 'bar' }, h('span', {}, summary), h('label', {}, form, ' JSON')),
    rows.length === 0
      ? empty(isComplete ? 'The query has no rows.' : 'No rows have been found so far.')
      : body,
    isComplete ? null : button('More rows', more),
  )
}

/** @param {unknown} plan a plan, or the reason why there is none */
export function planPanel(plan) {
  if (typeof plan === 'string') return h('section', {}, empty(`There is no plan for clients: ${plan}`))
  return h(
    'section',
    {},
    h('p', { className: 'quiet' }, 'With this plan, a client merges the rows of several physical ranges.'),
    h('pre', {}, jsonText(plan)),
  )
}

/** @param {Outcome} outcome */
export function factsPanel({ pages, elapsedMs }) {
  const metrics = pages.at(-1)?.metrics ?? null
  const facts = [
    ['request charge', chargeText(pages)],
    ['pages', String(pages.length)],
    ['time until the first page', `${elapsedMs.toFixed(1)} ms`],
    ...(metrics === null ? [] : metricsIn(metrics)),
  ]
  return h(
    'section',
    {},
    table(['fact', 'value'], /** @type {readonly (readonly string[])[]} */ (facts)),
    metrics === null ? empty('The account sent no query metrics.') : null,
    h('h3', {}, 'Indexes'),
    // Only the first page has index advice.
    indexAdvice(pages[0]?.indexAdvice ?? null),
  )
}

/** @param {string | null} header */
function indexAdvice(header) {
  if (header === null) return empty('The account sent no index advice.')
  const facts = indexFactsIn(header)
  if (facts === null) return h('pre', {}, header)
  if (facts.length === 0) return empty('The query uses no index, and no index would help it.')
  return table(
    ['index', 'paths', 'impact'],
    facts.map(({ kind, paths, impact }) => [kind, paths, impact]),
  )
}

/** @param {Outcome['pages']} pages */
function chargeText(pages) {
  const charge = pages.reduce((total, page) => total + page.charge, 0)
  return `${Math.round(charge * 100) / 100} RU`
}
