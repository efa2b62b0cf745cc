import { Account, wellKnownKey } from './account/account.js'
import { segmentsOf } from './account/resources.js'
import { definitionView } from './views/definition-view.js'
import { ask } from './views/dialogs.js'
import { empty, fill, h, textOf } from './views/dom.js'
import { faultsView } from './views/faults-view.js'
import { feedView } from './views/feed-view.js'
import { itemsView } from './views/items-view.js'
import { linkTo, placeIn } from './views/place-link.js'
import { queryView } from './views/query-view.js'
import { rangesView } from './views/ranges-view.js'
import { Tree } from './views/tree.js'

/**
 * A part of the page. `stop` ends its work in the background.
 *
 * @typedef {{ readonly element: HTMLElement, readonly stop?: () => void }} View
 */

/** The name under which this tab stores the account's key. Only pages of this address can read the key. */
const keyName = 'account-key'

const account = new Account({
  fetch: (...request) => fetch(...request),
  now: () => new Date(),
  key: sessionStorage.getItem(keyName) ?? wellKnownKey,
  askKey,
})
const main = part('#main')
const tree = new Tree(account, part('#tree'))

/** @type {View | null} */
let shown = null
/** The number of address changes so far. It shows whether an answer is too late for the present address. */
let visit = 0

const views = {
  items: itemsView,
  query: queryView,
  ranges: rangesView,
  feed: feedView,
  definition: (/** @type {Account} */ of, /** @type {Parameters<typeof itemsView>[1]} */ place) =>
    definitionView(of, place, async () => {
      location.hash = ''
      await tree.refresh()
    }),
}

/** @type {Readonly<Record<string, string>>} */
const titles = {
  items: 'Items',
  query: 'Query',
  ranges: 'Ranges',
  feed: 'Change feed',
  definition: 'Definition',
}

/** Shows the page that the address names. */
async function route() {
  const number = (visit += 1)
  shown?.stop?.()
  shown = null
  tree.mark()
  showTree(location.hash === '')
  part('#faults-link').ariaCurrent = location.hash === '#faults' ? 'page' : null
  const view = await viewOf(location.hash).catch(problemView)
  if (number !== visit) {
    view.stop?.()
    return
  }
  shown = view
  fill(main, view.element)
}

/**
 * Opens or closes the tree in a narrow window. A wide window always shows it.
 *
 * @param {boolean} isOpen
 */
function showTree(isOpen) {
  part('#tree').classList.toggle('open', isOpen)
  part('#tree-button').ariaExpanded = String(isOpen)
}

/**
 * @param {string} hash
 * @returns {Promise<View>}
 */
async function viewOf(hash) {
  if (hash === '#faults') return faultsView(account)
  const place = placeIn(hash)
  if (place === null) return welcome()
  const { database, container, view } = place
  const { body: definition } = await account.call({
    segments: segmentsOf({ database, container, definition: null }),
  })
  const create = Object.hasOwn(views, view) ? views[/** @type {keyof typeof views} */ (view)] : itemsView
  const inner = create(account, { database, container, definition })
  const tabs = Object.entries(titles).map(([name, title]) =>
    h(
      'a',
      { href: linkTo(database, container, name), ...(name === view ? { 'aria-current': 'page' } : {}) },
      title,
    ),
  )
  const heading = h('h1', {}, h('span', { className: 'quiet' }, `${database} / `), container)
  const navigation = h('nav', { className: 'tabs', 'aria-label': 'Views of the container' }, ...tabs)
  return { ...inner, element: h('div', {}, heading, navigation, inner.element) }
}

/** @returns {View} */
function welcome() {
  return { element: empty('Choose a container to see its items, run queries and follow its changes.') }
}

/**
 * @param {unknown} error
 * @returns {View}
 */
function problemView(error) {
  return { element: h('p', { className: 'problem', role: 'alert' }, textOf(error)) }
}

/**
 * @param {string} message
 * @returns {Promise<string>}
 */
async function askKey(message) {
  let key = ''
  const isGiven = await ask({
    title: 'This account has another key',
    text: 'Paste the key that the emulator printed when it started. It stays in this tab of the browser.',
    questions: [{ name: 'key', label: 'Key', type: 'password' }],
    action: 'Use this key',
    run: (answers) => {
      key = (answers['key'] ?? '').trim()
      assertBase64(key)
      sessionStorage.setItem(keyName, key)
    },
  })
  if (!isGiven) throw new Error(message)
  return key
}

/** @param {string} key */
function assertBase64(key) {
  if (/^[A-Za-z0-9+/]{2,}={0,2}$/u.test(key) && key.replace(/=+$/u, '').length % 4 !== 1) return
  throw new Error('A key has only letters, digits, + and /, and ends with = or ==. Copy all of it.')
}

/**
 * @param {string} selector
 * @returns {HTMLElement}
 */
function part(selector) {
  const found = document.querySelector(selector)
  if (found instanceof HTMLElement) return found
  throw new Error(`The page has no ${selector}.`)
}

fill(part('#address'), location.origin)
part('#tree-button').onclick = () => {
  showTree(!part('#tree').classList.contains('open'))
}
if (!isSecureContext) {
  fill(main, empty('Browsers sign requests only on localhost or over https. Open this page there.'))
} else {
  addEventListener('hashchange', () => void route())
  addEventListener('focus', () => void tree.refresh())
  void tree.refresh()
  void route()
}
