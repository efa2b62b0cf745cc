/** @import { Field } from '../state/action-kinds.js' */
import { about } from '../state/about.js'
import { html } from './html.js'

/**
 * A field of an action besides the reason: a text, or one of several values.
 *
 * @param {{ field: Field, value: string,
 *   onInput: (event: { currentTarget: { name: string, value: string } }) => void }} props
 */
export function MoreField({ field: { name, label, placeholder, choices }, value, onInput }) {
  if (choices === undefined) {
    return html`<label
      >${label} <input name=${name} type="text" placeholder=${placeholder} value=${value} onInput=${onInput}
    /></label>`
  }
  const known = choices === 'workflows' ? (about.value?.workflows ?? []).map((one) => one.name) : choices
  // The stored workflow may be unknown to this page, and stays until a person chooses another.
  const offered = value === '' || known.includes(value) ? known : [value, ...known]
  return html`<label
    >${label}
    <select name=${name} value=${value} onInput=${onInput}>
      <option value="">${choices === 'workflows' ? 'choose one' : placeholder}</option>
      ${offered.map((one) => html`<option value=${one}>${one}</option>`)}
    </select></label
  >`
}
