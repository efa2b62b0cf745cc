import { readPage, readPlan } from '../account/queries.js'
import { button, empty, field, fill, h, textOf } from './dom.js'
import { factsPanel, planPanel, rowsPanel } from './query-results.js'

/**
 * @typedef {import('../account/account.js').Account} Account
 * @typedef {import('../account/queries.js').Page} Page
 * @typedef {import('../account/queries.js').Query} Query
 * @typedef {import('../account/resources.js').ContainerPlace} ContainerPlace
 */

/**
 * The answers to a query so far.
 *
 * @typedef {object} Outcome
 * @property {readonly unknown[]} rows
 * @property {readonly Page[]} pages
 * @property {number} elapsedMs until the first page
 */

/** The text of the last query in each container, kept while the user looks at other views. */
const texts = new Map()

/**
 * Runs a query and shows its rows, its plan and its cost.
 *
 * @param {Account} account
 * @param {ContainerPlace} place
 */
export function queryView(account, place) {
  const name = `${place.database}/${place.container}`
  const text = h('textarea', {
    spellcheck: false,
    'aria-label': 'The query',
    value: texts.get(name) ?? 'SELECT TOP 100 * FROM c',
  })
  const parameters = h('input', {
    placeholder: '{ "@city": "Oslo" }',
    autocomplete: 'off',
    spellcheck: false,
  })
  const results = h(
    'div',
    { className: 'results' },
    empty('Run the query to see its rows. Ctrl+Enter runs it.'),
  )

  const run = async () => {
    texts.set(name, text.value)
    results.ariaBusy = 'true'
    try {
      const query = { text: text.value, parameters: parametersIn(parameters.value), pageSize: 100 }
      const beganAt = performance.now()
      const page = await readPage(account, place, query)
      const outcome = { rows: page.rows, pages: [page], elapsedMs: performance.now() - beganAt }
      const plan = await readPlan(account, place, query).catch(textOf)
      show(query, outcome, plan)
    } catch (error) {
      fill(results, h('p', { className: 'problem', role: 'alert' }, textOf(error)))
    } finally {
      results.ariaBusy = null
    }
  }
  const show = (/** @type {Query} */ query, /** @type {Outcome} */ outcome, /** @type {unknown} */ plan) => {
    const more = async () => {
      const continuation = outcome.pages.at(-1)?.continuation ?? null
      const page = await readPage(account, place, { ...query, continuation })
      const pages = [...outcome.pages, page]
      show(query, { ...outcome, rows: [...outcome.rows, ...page.rows], pages }, plan)
    }
    const panels = { Rows: rowsPanel(outcome, more), Plan: planPanel(plan), Cost: factsPanel(outcome) }
    fill(results, switching(panels))
  }
  const runButton = button('Run', run, { className: 'primary', title: 'Ctrl+Enter' })
  text.onkeydown = (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) runButton.click()
  }
  const bar = h('div', { className: 'bar' }, field('Parameters', parameters), runButton)
  return { element: h('div', { className: 'query' }, text, bar, results) }
}

/** The panel that the user looked at last. */
let lastPanel = 'Rows'

/**
 * Creates buttons that show one of several panels.
 *
 * @param {Readonly<Record<string, HTMLElement>>} panels
 */
function switching(panels) {
  const buttons = Object.keys(panels).map((name) => button(name, () => choose(name)))
  const choose = (/** @type {string} */ chosen) => {
    lastPanel = chosen
    for (const one of buttons) one.ariaPressed = String(one.textContent === chosen)
    for (const [name, panel] of Object.entries(panels)) panel.hidden = name !== chosen
  }
  choose(lastPanel)
  return h('div', {}, h('div', { className: 'switch' }, ...buttons), ...Object.values(panels))
}

/**
 * Reads parameters, which are an object of names and values.
 *
 * @param {string} text
 */
export function parametersIn(text) {
  if (text.trim() === '') return []
  const parsed = JSON.parse(text)
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new Error('Parameters must be a JSON object with names and values, such as { "@city": "Oslo" }.')
  }
  return Object.entries(parsed).map(([name, value]) => ({ name, value }))
}
