import { useState } from 'preact/hooks'
import { isJson, origin } from './action-decision.js'
import { html } from './html.js'
import { Command, Problem } from './basics.js'
import { about } from '../state/about.js'
import { jobAddress, open } from '../state/address.js'
import { act } from '../state/api.js'
import { actionKinds } from '../state/action-kinds.js'
import { commandOf, linesOf } from '../state/commands.js'
import { MoreField } from './more-field.js'

/** Submits a job of a workflow of the module that the page was started with. */
export function SubmitForm() {
  const { workflows = [] } = about.value ?? {}
  const [workflow, setWorkflow] = useState(workflows[0]?.name ?? '')
  const [input, setInput] = useState('')
  const [jobId, setJobId] = useState('')
  const [more, setMore] = useState(/** @type {Record<string, string>} */ ({}))
  const [error, setError] = useState(/** @type {string | null} */ (null))
  const findsJobId = workflows.find(({ name }) => name === workflow)?.findsJobId === true
  /** @param {Event} event */
  const submit = async (event) => {
    event.preventDefault()
    setError(null)
    try {
      const body = {
        workflow,
        input: JSON.parse(input),
        ...(jobId === '' ? {} : { jobId }),
        ...termsOf(more),
      }
      open(jobAddress(await act('submit', body)))
    } catch (reason) {
      setError(/** @type {Error} */ (reason).message)
    }
  }
  return html`<details class="panel">
    <summary>Submit a job</summary>
    <form onSubmit=${submit}>
      <label
        >Workflow
        <select
          value=${workflow}
          onChange=${(/** @type {any} */ event) => setWorkflow(event.currentTarget.value)}
        >
          ${workflows.map(({ name }) => html`<option value=${name}>${name}</option>`)}
        </select></label
      >
      ${
        findsJobId
          ? null
          : html`<label
              >Job id
              <input
                required
                value=${jobId}
                onInput=${(/** @type {any} */ event) => setJobId(event.currentTarget.value)}
            /></label>`
      }
      <label
        >Input, as JSON
        <textarea
          rows="6"
          spellcheck=${false}
          value=${input}
          onInput=${(/** @type {any} */ event) => setInput(event.currentTarget.value)}
        ></textarea>
      </label>
      <${Terms} more=${more} setMore=${setMore} />
      <${Command} text=${commandOf({ kind: 'submit', workflow, input, ...(findsJobId ? {} : { jobId }), fields: more, ...origin(false) })} isIncomplete=${!isJson(input) || (!findsJobId && jobId === '')} />
      <${Problem} error=${error} />
      <div class="buttons">
        <span class="quiet">${isJson(input) ? '' : 'The input is not JSON.'}</span>
        <button type="submit" class="primary" disabled=${!isJson(input)}>Submit</button>
      </div>
    </form>
  </details>`
}

/** @param {{ more: Record<string, string>, setMore: (more: Record<string, string>) => void }} props */
function Terms({ more, setMore }) {
  /** @param {{ currentTarget: { name: string, value: string } }} event */
  const onInput = ({ currentTarget: { name, value } }) => setMore({ ...more, [name]: value })
  return html`<details>
    <summary>More</summary>
    ${(actionKinds.submit.fields ?? []).map(
      (field) =>
        html`<${MoreField} key=${field.name} field=${field} value=${more[field.name] ?? ''} onInput=${onInput} />`,
    )}
  </details>`
}

/**
 * Returns the terms of a job for the body of the request. Empty fields are left out.
 *
 * @param {Record<string, string>} texts
 */
function termsOf({ tag = '', priority = '', ...texts }) {
  const tags = linesOf(tag)
  const given = Object.entries(texts).filter(([, text]) => text.trim() !== '')
  return {
    ...Object.fromEntries(given),
    ...(tags.length === 0 ? {} : { tag: tags }),
    ...(priority.trim() === '' ? {} : { priority: Number(priority) }),
  }
}
