/** @import { ComponentChildren } from 'preact' */
import { useState } from 'preact/hooks'
import { open } from '../state/address.js'
import { jsonText } from '../state/formats.js'
import { html } from './html.js'

/**
 * A link to a view. The browser opens it itself if a key asks for another tab.
 *
 * @param {{ to: string, children?: ComponentChildren, class?: string, label?: string, isCurrent?: boolean }} props
 */
export function Link({ to, children, label, isCurrent = false, class: className = '' }) {
  /** @param {MouseEvent} event */
  const onClick = (event) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    open(to)
  }
  return html`<a
    href=${to}
    class=${className}
    aria-label=${label}
    aria-current=${isCurrent ? 'page' : undefined}
    onClick=${onClick}
    >${children}</a
  >`
}

/** The mark of each state. The colour is never the only difference. */
export const marks = /** @type {Record<string, string>} */ ({
  Pending: '·',
  Processing: '▸',
  Processed: '✓',
  Error: '✗',
  Compensating: '↶',
  Compensated: '↺',
  Skipped: '–',
  Failed: '✗',
  TimedOut: '✗',
  Refused: '✗',
})

/** @param {{ state: string }} props */
export function StateBadge({ state }) {
  return html`<span class=${`badge state-${state.toLowerCase()}`}
    ><span aria-hidden="true">${marks[state] ?? '?'}</span> ${state}</span
  >`
}

/** @param {{ text: string, label?: string }} props */
export function CopyButton({ text, label = 'Copy' }) {
  const [said, setSaid] = useState('')
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setSaid('Copied')
    } catch {
      setSaid('Select the text to copy it')
    }
  }
  return html`<button type="button" class="small" onClick=${copy}>${said === '' ? label : said}</button>`
}

/** @param {{ text: string }} props */
export function Command({ text }) {
  return html`<div class="command">
    <code tabindex="0">${text}</code><${CopyButton} text=${text} label="Copy as command" />
  </div>`
}

/** @param {{ title: string, value: unknown }} props */
export function JsonBox({ title, value }) {
  const text = jsonText(value)
  return html`<div class="json">
    <div class="json-head">
      <h3>${title}</h3>
      <${CopyButton} text=${text} />
    </div>
    <pre tabindex="0" aria-label=${title}>${text}</pre>
  </div>`
}

/** @param {{ error: string | null }} props */
export function Problem({ error }) {
  return error === null ? null : html`<p class="problem" role="alert">${error}</p>`
}

/** @param {{ title: string, children?: ComponentChildren, more?: ComponentChildren, id?: string }} props */
export function Panel({ title, children, more, id }) {
  return html`<section class="panel" id=${id}>
    <div class="panel-head">
      <h2>${title}</h2>
      ${more}
    </div>
    ${children}
  </section>`
}

/**
 * Names with their values.
 *
 * @param {{ facts: (readonly [string, ComponentChildren])[] }} props
 */
export function Facts({ facts }) {
  return html`<dl class="facts">
    ${facts.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`
}
