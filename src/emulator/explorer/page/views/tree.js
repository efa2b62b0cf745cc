import { createContainer, createDatabase, deleteDatabase, readTree } from '../account/resources.js'
import { ask } from './dialogs.js'
import { button, empty, fill, h, textOf } from './dom.js'
import { linkTo } from './place-link.js'

/**
 * @typedef {import('../account/account.js').Account} Account
 * @typedef {Awaited<ReturnType<typeof readTree>>} Databases
 */

/** The databases and containers of the account, as links. */
export class Tree {
  /**
   * @param {Account} account
   * @param {HTMLElement} element
   */
  constructor(account, element) {
    this.account = account
    this.element = element
    /** @type {Databases} */
    this.databases = []
  }

  /** Reads the present databases and containers, and shows them. */
  async refresh() {
    try {
      this.databases = await readTree(this.account)
      this.draw()
    } catch (error) {
      fill(this.element, h('p', { className: 'problem', role: 'alert' }, textOf(error)), this.refreshButton())
    }
  }

  /** Marks the links to the page that is shown. */
  mark() {
    const present = location.hash.split('/').slice(0, 3).join('/')
    for (const link of this.element.querySelectorAll('a')) {
      link.ariaCurrent = link.hash.split('/').slice(0, 3).join('/') === present ? 'page' : null
    }
  }

  draw() {
    const closed = new Set(
      [...this.element.querySelectorAll('details:not([open])')].map((one) => one.getAttribute('data-id')),
    )
    const databases = this.databases.map((database) => {
      const details = this.databaseOf(database)
      details.open = !closed.has(database.id)
      return details
    })
    const create = button('New database', () => this.addDatabase())
    fill(
      this.element,
      h('div', { className: 'bar' }, create, this.refreshButton()),
      databases.length === 0 && empty('This account has no databases. Create one here, or with any client.'),
      ...databases,
    )
    this.mark()
  }

  refreshButton() {
    return button('Refresh', () => this.refresh())
  }

  /** @param {Databases[number]} database */
  databaseOf({ id, containers }) {
    const links = containers.map((container) =>
      h('li', {}, h('a', { href: linkTo(id, container.id, 'items') }, container.id)),
    )
    return h(
      'details',
      { 'data-id': id },
      h('summary', {}, id),
      links.length === 0 ? empty('no containers') : h('ul', {}, ...links),
      h(
        'div',
        { className: 'bar' },
        button('New container', () => this.addContainer(id), { 'aria-label': `New container in ${id}` }),
        button('Delete', () => this.removeDatabase(id), { 'aria-label': `Delete the database ${id}` }),
      ),
    )
  }

  async addDatabase() {
    await ask({
      title: 'New database',
      questions: [{ name: 'id', label: 'Name', placeholder: 'shop' }],
      action: 'Create database',
      run: ({ id = '' }) => createDatabase(this.account, id),
    })
    await this.refresh()
  }

  /** @param {string} database */
  async addContainer(database) {
    await ask({
      title: `New container in ${database}`,
      text: 'A hierarchical key has several paths with commas between them.',
      questions: [
        { name: 'id', label: 'Name', placeholder: 'orders' },
        { name: 'paths', label: 'Partition key', placeholder: '/customerId' },
      ],
      action: 'Create container',
      run: ({ id = '', paths = '' }) =>
        createContainer(this.account, database, { id, paths: paths.split(',').map((path) => path.trim()) }),
    })
    await this.refresh()
  }

  /** @param {string} id */
  async removeDatabase(id) {
    await ask({
      title: `Delete the database ${id}?`,
      text: 'All its containers and items are deleted with it.',
      action: 'Delete database',
      isDanger: true,
      run: () => deleteDatabase(this.account, id),
    })
    await this.refresh()
  }
}
