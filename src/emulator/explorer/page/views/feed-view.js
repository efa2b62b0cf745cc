import { FeedTail } from '../account/change-feed.js'
import { button, empty, field, fill, h, textOf } from './dom.js'
import { cellText, jsonText, ownProperties, timeText } from './formats.js'
import { table } from './rows-table.js'

/**
 * @typedef {import('../account/account.js').Account} Account
 * @typedef {import('../account/change-feed.js').Change} Change
 * @typedef {import('../account/resources.js').ContainerPlace} ContainerPlace
 */

const keptChanges = 200
const pauseMs = 1_000
const recentMs = 10 * 60_000

/** @type {Readonly<Record<string, () => 'now' | 'beginning' | Date>>} */
const starts = {
  'the last 10 minutes': () => new Date(Date.now() - recentMs),
  now: () => 'now',
  'the beginning': () => 'beginning',
}

/**
 * Follows the change feed of a container.
 *
 * @param {Account} account
 * @param {ContainerPlace} place
 */
export function feedView(account, place) {
  const view = new FeedView(account, place)
  return { element: view.element, stop: () => view.pause() }
}

/** The newest changes of a feed. The view follows the feed until the user pauses it. */
class FeedView {
  /**
   * @param {Account} account
   * @param {ContainerPlace} place
   */
  constructor(account, place) {
    this.account = account
    this.place = place
    /** @type {readonly Change[]} newest first */
    this.changes = []
    /** @type {WeakMap<object, HTMLElement>} the elements of items */
    this.contents = new WeakMap()
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined
    this.isFollowing = true
    this.results = h('div', { className: 'results' })
    this.status = h('span', { className: 'quiet' })
    this.start = h('select', {}, ...Object.keys(starts).map((name) => h('option', {}, name)))
    this.start.onchange = () => this.restart()
    this.toggle = button('Pause', () => (this.isFollowing ? this.pause() : this.follow()))
    const bar = h('div', { className: 'bar' }, field('Start at', this.start), this.toggle, this.status)
    this.element = h('div', {}, bar, this.results)
    this.tail = this.newTail()
    this.draw()
    void this.follow()
  }

  newTail() {
    return new FeedTail(this.account, this.place, starts[this.start.value]?.() ?? 'now')
  }

  restart() {
    this.tail = this.newTail()
    this.changes = []
    this.draw()
    if (!this.isFollowing) return this.follow()
    return undefined
  }

  pause() {
    this.isFollowing = false
    clearTimeout(this.timer)
    this.showState('Paused')
  }

  async follow() {
    this.isFollowing = true
    this.showState('Following')
    await this.step()
  }

  /** @param {string} text */
  showState(text) {
    fill(this.toggle, this.isFollowing ? 'Pause' : 'Continue')
    fill(this.status, text)
  }

  /** Reads new changes now, and again after each pause. */
  async step() {
    clearTimeout(this.timer)
    const { tail } = this
    try {
      const found = document.hidden ? [] : await tail.next()
      if (tail === this.tail) this.add(found)
    } catch (error) {
      this.pause()
      this.showState(`Stopped: ${textOf(error)}`)
    }
    if (!this.isFollowing) return
    clearTimeout(this.timer)
    this.timer = setTimeout(() => void this.step(), pauseMs)
  }

  /** @param {readonly Change[]} found */
  add(found) {
    if (found.length === 0) return
    // The sort keeps the order of equal times, and a page has its newest change last.
    const newest = [...found].reverse().sort((one, other) => other.atSeconds - one.atSeconds)
    this.changes = [...newest, ...this.changes].slice(0, keptChanges)
    this.draw()
  }

  draw() {
    const { changes, place } = this
    if (changes.length === 0) {
      fill(this.results, empty('No changes yet. A change appears here as soon as a client writes an item.'))
      return
    }
    const hasVersions = changes.some(({ operation }) => operation !== '')
    const headings = ['time', 'range', ...(hasVersions ? ['operation'] : []), 'id', 'content']
    const rows = changes.map(({ rangeId, operation, atSeconds, item }) => [
      timeText(atSeconds),
      rangeId,
      ...(hasVersions ? [operation] : []),
      cellText(item.id),
      this.contentOf(item),
    ])
    fill(this.results, table(headings, rows), this.note(place))
  }

  /**
   * Returns the element with the content of a change. Each call returns the same element, so the element
   * stays open when new changes arrive.
   *
   * @param {any} item
   */
  contentOf(item) {
    const known = this.contents.get(item)
    if (known !== undefined) return known
    const created = contentOf(item)
    this.contents.set(item, created)
    return created
  }

  /** @param {ContainerPlace} place */
  note({ definition }) {
    if (definition.changeFeedPolicy?.retentionDuration > 0) return null
    const text =
      'Without a changeFeedPolicy, a feed has only the latest version of each item, and no deletes.'
    return h('p', { className: 'quiet' }, text)
  }
}

/** @param {any} item */
function contentOf(item) {
  const own = ownProperties(item)
  return h('details', {}, h('summary', {}, JSON.stringify(own)), h('pre', {}, jsonText(own)))
}
