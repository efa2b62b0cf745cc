import { AccountError } from '../account/account.js'
import { createItem, deleteItem, readItem, replaceItem } from '../account/items.js'
import { namesIn } from '../account/partition-keys.js'
import { keyPathsOf } from '../account/resources.js'
import { ask, opened } from './dialogs.js'
import { button, fill, h, textOf } from './dom.js'
import { jsonText, ownProperties } from './formats.js'

/**
 * @typedef {import('../account/account.js').Account} Account
 * @typedef {import('../account/items.js').Item} Item
 * @typedef {import('../account/resources.js').ContainerPlace} ContainerPlace
 */

/**
 * Opens an item as JSON in a dialog. The dialog writes an item only if no other client changed it meanwhile.
 *
 * @param {Account} account
 * @param {ContainerPlace} place
 * @param {Item | null} opened null for a new item
 * @returns {Promise<boolean>} whether the item may have changed
 */
export function editItem(account, place, opened) {
  return new Promise((resolve) => {
    new ItemEditor(account, place, opened).show(resolve)
  })
}

/** A dialog with an item. It stays open until the item is written or deleted, or the user closes it. */
class ItemEditor {
  /**
   * @param {Account} account
   * @param {ContainerPlace} place
   * @param {Item | null} item
   */
  constructor(account, place, item) {
    this.account = account
    this.place = place
    /** The version on which a change is based. */
    this.item = item
    this.hasChanged = false
    this.isWarned = false
    this.text = h('textarea', { spellcheck: false, 'aria-label': 'The item as JSON' })
    this.problem = h('p', { className: 'problem', role: 'alert' })
    this.facts = h('p', { className: 'quiet' })
    this.latest = button('Load the present version', () => this.load(), { hidden: true })
    this.saveButton = button(item === null ? 'Create' : 'Save', () => this.save(), { className: 'primary' })
    this.setItem(item)
  }

  /** @param {(hasChanged: boolean) => void} done */
  show(done) {
    const { item, text, saveButton } = this
    const remove = button('Delete', () => this.remove(), { className: 'danger' })
    const close = button('Close', () => {
      this.close()
    })
    const actions = h('div', { className: 'actions' }, item && remove, this.latest, close, saveButton)
    const title = h('h2', {}, item === null ? 'New item' : `Item ${String(item['id'])}`)
    this.dialog = opened(h('div', {}, title, this.facts, text, this.problem, actions), 'editor')
    this.dialog.addEventListener('cancel', (event) => {
      event.preventDefault()
      this.close()
    })
    this.dialog.addEventListener('keydown', (event) => {
      if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      saveButton.click()
    })
    this.dialog.addEventListener('close', () => {
      done(this.hasChanged)
    })
    text.focus()
    text.setSelectionRange(0, 0)
  }

  /** @param {Item | null} item */
  setItem(item) {
    this.item = item
    this.written = jsonText(item === null ? template(this.place) : ownProperties(item))
    this.text.value = this.written
    fill(
      this.facts,
      item === null ? 'The id must be unique within its key.' : `etag ${String(item['_etag'])}`,
    )
  }

  close() {
    if (this.text.value === this.written || this.isWarned) {
      this.dialog?.close()
      return
    }
    this.isWarned = true
    fill(this.problem, 'The changes are not saved. Save them, or close again to discard them.')
  }

  save() {
    return this.attempt(async () => {
      const { account, place, item, text } = this
      const wanted = parsedItem(text.value)
      this.item = await (item === null
        ? createItem(account, place, wanted)
        : replaceItem(account, place, item, wanted))
    })
  }

  async remove() {
    const { account, place, item } = this
    if (item === null) return
    await ask({
      title: `Delete ${String(item['id'])}?`,
      text: 'Its last version is then gone, unless the container keeps all versions.',
      action: 'Delete',
      isDanger: true,
      run: () => this.attempt(() => deleteItem(account, place, item)),
    })
  }

  /** Replaces the text with the version that another client wrote. */
  async load() {
    if (this.item === null) return
    const present = await readItem(this.account, this.place, this.item)
    this.setItem(present)
    this.latest.hidden = true
    fill(this.problem)
  }

  /**
   * Writes, and closes the dialog. If the write fails, the dialog stays open and shows the reason.
   *
   * @param {() => Promise<unknown>} write
   */
  async attempt(write) {
    fill(this.problem)
    try {
      await write()
    } catch (error) {
      this.explain(error)
      return
    }
    this.hasChanged = true
    this.dialog?.close()
  }

  /** @param {unknown} error */
  explain(error) {
    const isStale = error instanceof AccountError && error.status === 412
    this.latest.hidden = !isStale
    fill(
      this.problem,
      isStale
        ? 'Another client changed this item after you opened it. Copy your changes, load the present ' +
            'version, and make them there.'
        : textOf(error),
    )
    // The list behind the dialog may also be out of date.
    this.hasChanged = true
  }
}

/**
 * @param {string} text
 * @returns {Item}
 */
function parsedItem(text) {
  const parsed = JSON.parse(text)
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed
  throw new Error('An item must be a JSON object, such as { "id": "1" }.')
}

/**
 * Returns the start of a new item: an id, and the properties of the partition key.
 *
 * @param {ContainerPlace} place
 */
export function template(place) {
  const item = plainObject()
  item['id'] = ''
  for (const path of keyPathsOf(place)) {
    const names = namesIn(path)
    const owner = names.slice(0, -1).reduce((inner, name) => (inner[name] ??= plainObject()), item)
    owner[names.at(-1) ?? ''] ??= ''
  }
  return item
}

/**
 * Creates an object in which every name, even `__proto__`, is an ordinary property.
 *
 * @returns {Record<string, any>}
 */
function plainObject() {
  return Object.create(null)
}
