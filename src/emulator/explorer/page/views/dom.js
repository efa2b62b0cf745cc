/** @typedef {Node | string | null | false} Child */

/**
 * Creates an element. Texts become text nodes, so no value of the account is ever read as HTML.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Readonly<Record<string, unknown>>} [properties] names of properties, or of attributes
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined) continue
    if (name in element) Object.assign(element, { [name]: value })
    else element.setAttribute(name, /** @type {string} */ (value))
  }
  fill(element, ...children)
  return element
}

/**
 * Replaces the children of an element.
 *
 * @param {Element} element
 * @param {...Child} children
 */
export function fill(element, ...children) {
  element.replaceChildren(...children.filter((child) => child !== null && child !== false))
}

/**
 * Creates a button that runs an action. While the action runs, the button ignores further presses.
 *
 * @param {string} label
 * @param {() => unknown} action
 * @param {Readonly<Record<string, unknown>>} [properties]
 */
export function button(label, action, properties = {}) {
  const element = h('button', { type: 'button', ...properties }, label)
  element.onclick = async () => {
    if (element.ariaDisabled === 'true') return
    // A disabled button would lose the keyboard focus.
    element.ariaDisabled = 'true'
    try {
      await action()
    } catch (error) {
      notify(textOf(error))
    } finally {
      element.ariaDisabled = null
    }
  }
  return element
}

/**
 * Shows a problem at the edge of the window until the user closes it.
 *
 * @param {string} text
 */
export function notify(text) {
  const close = h('button', { type: 'button', 'aria-label': 'Close this message' }, '×')
  const notice = h('div', { className: 'notice' }, h('span', {}, text), close)
  close.onclick = () => {
    notice.remove()
  }
  document.querySelector('#notices')?.replaceChildren(notice)
}

/**
 * Returns the message of an error.
 *
 * @param {unknown} error
 */
export function textOf(error) {
  return error instanceof Error ? error.message : String(error)
}

/**
 * Creates a paragraph for a place that has no content yet.
 *
 * @param {...Child} children
 */
export function empty(...children) {
  return h('p', { className: 'empty' }, ...children)
}

/**
 * Creates a field with its label.
 *
 * @param {string} label
 * @param {HTMLElement} control
 */
export function field(label, control) {
  return h('label', { className: 'field' }, h('span', {}, label), control)
}
