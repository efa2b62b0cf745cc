import { effects, operations } from './fault-choices.js'
import { field, fill, h, textOf } from './dom.js'

/** @typedef {import('../account/faults.js').FaultOptions} FaultOptions */

/**
 * Creates a form for a fault.
 *
 * @param {(options: FaultOptions) => Promise<void>} add
 */
export function faultForm(add) {
  const operation = select(['any', ...operations])
  const container = h('input', { placeholder: 'any', autocomplete: 'off', spellcheck: false })
  const effect = select(Object.keys(effects))
  const percent = h('input', { type: 'number', min: '0.1', max: '100', step: 'any', value: '100' })
  const times = h('input', { type: 'number', min: '1', placeholder: 'no limit' })
  const afterApply = h('input', { type: 'checkbox' })
  const problem = h('p', { className: 'problem', role: 'alert' })
  const form = h(
    'form',
    { className: 'bar' },
    field('Operation', operation),
    field('Container', container),
    field('Effect', effect),
    field('Percent of requests', percent),
    field('Times', times),
    h('label', { className: 'check' }, afterApply, ' after the request was carried out'),
    h('button', { className: 'primary' }, 'Switch on'),
  )
  form.onsubmit = async (event) => {
    event.preventDefault()
    fill(problem)
    try {
      await add({
        ...matchOf(operation.value, container.value.trim()),
        ...effects[/** @type {keyof typeof effects} */ (effect.value)],
        ...(afterApply.checked ? { afterApply: true } : {}),
        ...(percent.value === '100' ? {} : { probability: Number(percent.value) / 100 }),
        ...(times.value === '' ? {} : { times: Number(times.value) }),
      })
    } catch (error) {
      fill(problem, textOf(error))
    }
  }
  return h('div', {}, form, problem)
}

/**
 * @param {string} operation
 * @param {string} container
 * @returns {FaultOptions}
 */
function matchOf(operation, container) {
  const match = {
    ...(operation === 'any' ? {} : { operation }),
    ...(container === '' ? {} : { container }),
  }
  return Object.keys(match).length === 0 ? {} : { match }
}

/** @param {readonly string[]} names */
function select(names) {
  return h('select', {}, ...names.map((name) => h('option', {}, name)))
}
