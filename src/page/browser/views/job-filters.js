import { useState } from 'preact/hooks'
import { html } from '../parts/html.js'
import { addressOf, jobAddress, open } from '../state/address.js'
import { filterNames, waits } from '../state/job-filters.js'
import { states } from '../state/shapes.js'

/**
 * The filters of the list of jobs. They are in the address, so that a link is a saved list.
 *
 * @param {{ filter: Record<string, string> }} props
 */
export function JobFilters({ filter }) {
  // In a small window, the filters would push the list out of it, so those without a value are folded.
  const [isOpen, setOpen] = useState(false)
  /** @param {Record<string, string>} part */
  const narrowed = (part) => open(addressOf('/jobs', { ...filter, ...part }))
  /** @param {{ currentTarget: { name: string, value: string } }} event */
  const onChange = ({ currentTarget: { name, value } }) => narrowed({ [name]: value.trim() })
  /** @param {string} name */
  const given = (name) => (filter[name] ? 'given' : '')
  /**
   * @param {string} name
   * @param {string} label
   * @param {string} [placeholder]
   */
  const field = (name, label, placeholder = '') =>
    html`<label class=${given(name)}
      >${label} <input name=${name} placeholder=${placeholder} value=${filter[name]} onChange=${onChange}
    /></label>`
  return html`<form
    class=${isOpen ? 'filters' : 'filters folded'}
    aria-label="Filters"
    onSubmit=${(/** @type {Event} */ event) => {
      event.preventDefault()
      const fields = new FormData(/** @type {HTMLFormElement} */ (event.currentTarget))
      const texts = Object.fromEntries(filterNames.map((name) => [name, textOf(fields, name)]))
      const jobId = textOf(fields, 'job')
      open(jobId === '' ? addressOf('/jobs', texts) : jobAddress({ jobId }))
    }}
  >
    <label>Job <input name="job" type="search" placeholder="id, then Enter" /></label>
    ${field('text', 'Text', 'part of an id or name')}
    <label class=${given('state')}
      >State
      <select name="state" value=${filter['state']} onChange=${onChange}>
        <option value="">any</option>
        ${states.map((state) => html`<option value=${state}>${state}</option>`)}
      </select></label
    >
    <label class=${given('waitingFor')}
      >Waiting for
      <select name="waitingFor" value=${filter['waitingFor']} onChange=${onChange}>
        <option value="">anything or nothing</option>
        ${waits.map(([name, words]) => html`<option value=${name}>${words}</option>`)}
      </select></label
    >
    ${field('agent', 'Agent')} ${field('workflow', 'Workflow')} ${field('step', 'Flagged step')} ${field('tag', 'Tag', 'customer=4711')}
    ${field('since', 'Since', '2h, 1d or a date')} ${field('until', 'Until', '1h or a date')}
    ${field('took', 'Took at least', '90s or 2h')}
    <label class=${`check ${given('attention')}`}
      ><input
        type="checkbox"
        name="attention"
        value="true"
        checked=${filter['attention'] === 'true'}
        onChange=${(/** @type {any} */ event) => narrowed({ attention: event.currentTarget.checked ? 'true' : '' })}
      />
      <span>needs attention</span></label
    >
    <button type="button" class="unfold" aria-expanded=${isOpen} onClick=${() => setOpen(!isOpen)}>
      ${isOpen ? 'Fewer filters' : 'Filters'}
    </button>
    <button type="submit" class="sr-only">Apply</button>
  </form>`
}

/**
 * @param {FormData} fields
 * @param {string} name
 */
function textOf(fields, name) {
  const value = fields.get(name)
  return typeof value === 'string' ? value.trim() : ''
}
