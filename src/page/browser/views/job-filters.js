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
  /** @param {Record<string, string>} part */
  const narrowed = (part) => open(addressOf('/jobs', { ...filter, ...part }))
  /** @param {{ currentTarget: { name: string, value: string } }} event */
  const onChange = ({ currentTarget: { name, value } }) => narrowed({ [name]: value.trim() })
  /**
   * @param {string} name
   * @param {string} label
   * @param {string} [placeholder]
   */
  const field = (name, label, placeholder = '') =>
    html`<label
      >${label} <input name=${name} placeholder=${placeholder} value=${filter[name]} onChange=${onChange}
    /></label>`
  return html`<form
    class="filters"
    aria-label="Filters"
    onSubmit=${(/** @type {Event} */ event) => {
      event.preventDefault()
      const fields = new FormData(/** @type {HTMLFormElement} */ (event.currentTarget))
      const given = Object.fromEntries(filterNames.map((name) => [name, textOf(fields, name)]))
      const jobId = textOf(fields, 'job')
      open(jobId === '' ? addressOf('/jobs', given) : jobAddress({ jobId }))
    }}
  >
    <label>Job <input name="job" type="search" placeholder="id, then Enter" /></label>
    ${field('text', 'Text', 'part of an id or workflow')}
    <label
      >State
      <select name="state" value=${filter['state']} onChange=${onChange}>
        <option value="">any</option>
        ${states.map((state) => html`<option value=${state}>${state}</option>`)}
      </select></label
    >
    <label
      >Waiting for
      <select name="waitingFor" value=${filter['waitingFor']} onChange=${onChange}>
        <option value="">anything or nothing</option>
        ${waits.map(([name, words]) => html`<option value=${name}>${words}</option>`)}
      </select></label
    >
    ${field('workflow', 'Workflow')} ${field('step', 'Flagged step')} ${field('tag', 'Tag', 'customer=4711')}
    ${field('since', 'Since', '2h, 1d or a date')} ${field('until', 'Until', '1h or a date')}
    ${field('took', 'Took at least', '90s or 2h')}
    <label class="check"
      ><input
        type="checkbox"
        name="attention"
        value="true"
        checked=${filter['attention'] === 'true'}
        onChange=${(/** @type {any} */ event) => narrowed({ attention: event.currentTarget.checked ? 'true' : '' })}
      />
      <span>needs attention</span></label
    >
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
