/** @import { Field } from '../state/action-kinds.js' */
/** @import { Wanted } from '../state/shapes.js' */
import { about } from '../state/about.js'
import { useLoaded } from '../state/api.js'
import { html } from './html.js'

/**
 * A field of an action besides the reason: a text, or one of several values.
 *
 * @param {{ field: Field, value: string, steps?: string[], note?: string,
 *   onInput: (event: { currentTarget: { name: string, value: string } }) => void }} props
 */
export function MoreField({
  field: { name, label, placeholder, choices, isOptional, isJson, isText },
  value,
  steps = [],
  note = '',
  onInput,
}) {
  const fleet = /** @type {import('../state/api.js').Loaded<Wanted>} */ (
    useLoaded(choices === 'fleetRoles' ? '/api/fleet' : null)
  )
  if (isJson === true || isText === true) {
    return html`<label
      >${label} <textarea name=${name} rows=${isJson === true ? 6 : 3} spellcheck=${false} value=${value} onInput=${onInput}></textarea>
      ${note === '' ? null : html`<span class="quiet">${note}</span>`}</label
    >`
  }
  if (choices === undefined || (choices === 'steps' && steps.length === 0)) {
    return html`<label
      >${label} <input name=${name} type="text" placeholder=${placeholder} value=${value} onInput=${onInput}
    /></label>`
  }
  const known = knownOf(choices, steps, fleet.data)
  // The stored workflow may be unknown to this page, and stays until a person chooses another.
  const offered = value === '' || known.includes(value) ? known : [value, ...known]
  return html`<label
    >${label}
    <select name=${name} value=${value} onInput=${onInput}>
      <option value="">${isOptional === true ? placeholder : 'choose one'}</option>
      ${offered.map((one) => html`<option value=${one}>${one}</option>`)}
    </select></label
  >`
}

/**
 * @param {NonNullable<Field['choices']>} choices
 * @param {string[]} steps
 * @param {Wanted | null} fleet
 */
function knownOf(choices, steps, fleet) {
  if (choices === 'steps') return steps
  if (choices === 'fleetRoles') return rolesToScale(fleet)
  return choices === 'workflows' ? (about.value?.workflows ?? []).map((one) => one.name) : choices
}

const roles = ['scheduler', 'agents', 'supervisor', 'notifier', 'all']

/**
 * Returns the roles that can be scaled alone. The instances of an app of App Service are scaled together.
 *
 * @param {Wanted | null} fleet
 */
function rolesToScale(fleet) {
  if (fleet?.isByRole === false) return ['all']
  const known = Object.keys(fleet?.counts ?? {})
  return known.length === 0 ? roles : known
}
