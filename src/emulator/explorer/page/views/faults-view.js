import { addFault, readFaults, removeFault } from '../account/faults.js'
import { button, fill, h, notify, textOf } from './dom.js'
import { commonFaults, faultText } from './fault-choices.js'
import { faultForm } from './fault-form.js'
import { counted } from './formats.js'

/**
 * @typedef {import('../account/account.js').Account} Account
 * @typedef {import('../account/faults.js').Fault} Fault
 * @typedef {import('../account/faults.js').FaultOptions} FaultOptions
 */

const pauseMs = 1_000

/** The common faults, and all faults seen since the page was opened. The user can switch them on again. */
const remembered = new Map(commonFaults.map((options) => [JSON.stringify(options), options]))

/**
 * Switches faults on and off.
 *
 * @param {Account} account
 */
export function faultsView(account) {
  const view = new FaultsView(account)
  return { element: view.element, stop: () => view.stop() }
}

/**
 * A list of faults with the number of times that each one applied. The list is kept up to date until `stop`.
 */
class FaultsView {
  /** @param {Account} account */
  constructor(account) {
    this.account = account
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined
    this.isStopped = false
    /** @type {Map<string, ReturnType<typeof faultRow>>} by the options of the fault */
    this.rows = new Map()
    this.list = h('ul', { className: 'faults' })
    this.element = h(
      'div',
      {},
      h('h1', {}, 'Faults'),
      h(
        'p',
        { className: 'quiet' },
        'A fault disturbs requests to the account, to test how programs react. It never disturbs this page. ' +
          'The first fault that is on and matches a request applies.',
      ),
      this.list,
      h(
        'div',
        { className: 'bar' },
        button('Switch all off', () => this.clear()),
      ),
      h('h2', {}, 'Another fault'),
      faultForm((options) => this.switchOn(options)),
    )
    void this.refresh()
  }

  stop() {
    this.isStopped = true
    clearTimeout(this.timer)
  }

  /** Shows the present faults now, and again after each pause. */
  async refresh() {
    clearTimeout(this.timer)
    try {
      this.show(await readFaults(this.account))
    } catch (error) {
      notify(textOf(error))
      return
    }
    clearTimeout(this.timer)
    if (!this.isStopped) this.timer = setTimeout(() => void this.refresh(), pauseMs)
  }

  /** @param {readonly Fault[]} faults */
  show(faults) {
    const named = faults.map((fault) => ({ fault, name: JSON.stringify(fault.options) }))
    for (const { fault, name } of named) remembered.set(name, fault.options)
    for (const [name, options] of remembered) {
      const row = this.rows.get(name) ?? this.newRow(name, options)
      row.show(named.filter((one) => one.name === name).map(({ fault }) => fault))
    }
  }

  /**
   * @param {string} name
   * @param {FaultOptions} options
   */
  newRow(name, options) {
    const row = faultRow(options, (ids) => (ids.length === 0 ? this.switchOn(options) : this.switchOff(ids)))
    this.rows.set(name, row)
    this.list.append(row.element)
    return row
  }

  /** @param {FaultOptions} options */
  async switchOn(options) {
    await addFault(this.account, options)
    await this.refresh()
  }

  /** @param {readonly string[]} ids */
  async switchOff(ids) {
    for (const id of ids) await removeFault(this.account, id)
    await this.refresh()
  }

  async clear() {
    await this.switchOff((await readFaults(this.account)).map(({ id }) => id))
  }
}

/**
 * @param {FaultOptions} options
 * @param {(ids: readonly string[]) => Promise<void>} toggle switches the faults with these ids off, or a new
 * one on
 */
function faultRow(options, toggle) {
  const box = h('input', { type: 'checkbox', role: 'switch' })
  const fired = h('span', { className: 'quiet' })
  const text = h('span', {}, faultText(options))
  /** @type {readonly string[]} */
  let ids = []
  box.onchange = () => {
    toggle(ids).catch((/** @type {unknown} */ error) => {
      box.checked = ids.length > 0
      notify(textOf(error))
    })
  }
  return {
    element: h('li', {}, h('label', {}, box, text), fired),
    /** @param {readonly Fault[]} faults the faults with these options */
    show: (faults) => {
      ids = faults.map(({ id }) => id)
      box.checked = ids.length > 0
      const count = faults.reduce((total, fault) => total + fault.fired, 0)
      fill(fired, ids.length === 0 ? 'off' : counted(count, 'request'))
    },
  }
}
