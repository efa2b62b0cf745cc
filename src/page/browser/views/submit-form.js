import { useState } from 'preact/hooks'
import { html } from '../parts/html.js'
import { Command, Problem } from '../parts/basics.js'
import { about } from '../state/about.js'
import { jobAddress, open } from '../state/address.js'
import { act } from '../state/api.js'
import { commandOf } from '../state/commands.js'

/** Submits a job of a workflow of the module that the page was started with. */
export function SubmitForm() {
  const { workflows = [], storeArguments = [] } = about.value ?? {}
  const [workflow, setWorkflow] = useState(workflows[0]?.name ?? '')
  const [input, setInput] = useState('')
  const [jobId, setJobId] = useState('')
  const [error, setError] = useState(/** @type {string | null} */ (null))
  const isJson = (() => {
    try {
      JSON.parse(input)
      return true
    } catch {
      return false
    }
  })()
  const findsJobId = workflows.find(({ name }) => name === workflow)?.findsJobId === true
  /** @param {Event} event */
  const submit = async (event) => {
    event.preventDefault()
    setError(null)
    try {
      const body = { workflow, input: JSON.parse(input), ...(jobId === '' ? {} : { jobId }) }
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
      <${Command} text=${commandOf({ kind: 'submit', workflow, input, storeArguments })} />
      <${Problem} error=${error} />
      <div class="buttons">
        <span class="quiet">${isJson ? '' : 'The input is not JSON.'}</span>
        <button type="submit" class="primary" disabled=${!isJson}>Submit</button>
      </div>
    </form>
  </details>`
}
