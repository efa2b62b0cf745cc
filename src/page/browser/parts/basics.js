/** @import { ComponentChildren } from 'preact' */
import { useEffect, useState } from 'preact/hooks'
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

/** The time for which a button says that it has copied. */
const saidMs = 3_000

/**
 * A button that copies a text. Its answer is about this text, and goes when the text changes, or after some seconds.
 *
 * @param {{ text: string, label?: string, answer?: string, isDisabled?: boolean }} props
 */
export function CopyButton({ text, label = 'Copy', answer = 'Copied', isDisabled = false }) {
  const [said, setSaid] = useState({ of: '', answer: '' })
  useEffect(() => {
    if (said.answer === '') return undefined
    const timer = setTimeout(() => setSaid({ of: '', answer: '' }), saidMs)
    return () => clearTimeout(timer)
  }, [said])
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setSaid({ of: text, answer })
    } catch {
      setSaid({ of: text, answer: 'Select the text to copy it' })
    }
  }
  const isSaid = said.answer !== '' && said.of === text
  return html`<button type="button" class="small" disabled=${isDisabled} onClick=${copy}>${isSaid ? said.answer : label}</button>`
}

/**
 * A command to copy. It cannot be copied while a dialog still asks for a part of it.
 *
 * @param {{ text: string, isIncomplete?: boolean }} props
 */
export function Command({ text, isIncomplete = false }) {
  const answer = / --why TEXT( |$)/u.test(text) ? 'Copied: replace TEXT by the reason' : 'Copied'
  return html`<div class="command">
    <code tabindex="0">${text}</code><${CopyButton} text=${text} label="Copy as command" answer=${answer} isDisabled=${isIncomplete} />
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
