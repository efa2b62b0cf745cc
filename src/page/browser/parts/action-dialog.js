/**
 * @import { Kind, Filter } from '../state/commands.js'
 * @import { Report, JobName } from '../state/shapes.js'
 */
import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { commandOf } from '../state/commands.js'
import { counted } from '../state/formats.js'
import { about } from '../state/about.js'
import { Command, Problem } from './basics.js'
import { useRun } from './action-run.js'
import { html } from './html.js'

/**
 * What the dialog asks: an action on one job, on jobs that a person ticked, or on all that match a filter.
 *
 * @typedef {{ kind: Kind, jobs?: JobName[], filter?: Filter, steps?: string[], step?: string | undefined, input?: string,
 *   onDone?: () => void }} Asked
 */

/** The open dialog, or null. */
export const asked = signal(/** @type {Asked | null} */ (null))

const titles = {
  resubmit: 'Resubmit',
  release: 'Release',
  cancel: 'Cancel',
  resend: 'Send notices again',
  raise: 'Raise an event',
  submit: 'Submit a job',
}

const effects = {
  resubmit: 'Failed steps are tried again. A job that was undone begins again.',
  release: 'Steps that are parked or in an extended wait continue immediately.',
  cancel: 'The job stops, and what was done is undone.',
  resend: 'Notices that were given up are sent again.',
  raise: 'The step receives the payload and continues.',
  submit: 'The job is written with its steps.',
}

/** The dialog of all actions. */
export function ActionDialog() {
  const present = asked.value
  return present === null ? null : html`<${Open} key=${JSON.stringify(present)} present=${present} />`
}

/** @param {{ present: Asked }} props */
function Open({ present }) {
  const { kind, jobs } = present
  const box = useRef(/** @type {HTMLDialogElement | null} */ (null))
  const [fields, setFields] = useState({ why: '', step: present.step ?? '', input: present.input ?? '' })
  const { isBusy, report, error, reached, run, stop } = useRun(present)
  useEffect(() => box.current?.showModal(), [])
  const close = () => {
    stop()
    asked.value = null
  }
  const { problem, body, commands } = decided(present, fields)
  const total = jobs?.length ?? 1
  return html`<dialog ref=${box} onClose=${close} aria-labelledby="dialog-title">
    <form
      method="dialog"
      onSubmit=${(/** @type {Event} */ event) => {
        event.preventDefault()
        if (problem === '') void run(body, false)
      }}
    >
      <h2 id="dialog-title">${titles[kind]}: ${whichJobs(present)}</h2>
      <p>${effects[kind]}</p>
      <${FieldsOf} present=${present} fields=${fields} setFields=${setFields} />
      <${Command} text=${commands.join('\n')} />
      <${Problem} error=${error} />
      ${reached === null ? null : html`<progress max=${total} value=${reached}>${reached}</progress>`}
      ${report === null ? null : html`<${Result} report=${report} />`}
      <div class="buttons">
        <span class="quiet">${problem}</span>
        <button type="button" onClick=${close}>Close</button>
        ${isBusy ? html`<button type="button" onClick=${stop}>Stop</button>` : null}
        ${
          isBusy || kind === 'raise'
            ? null
            : html`<button type="button" disabled=${problem !== ''} onClick=${() => run(body, true)}>Dry run</button>`
        }
        ${
          isBusy
            ? null
            : html`<button type="submit" class="primary" disabled=${problem !== ''}>${titles[kind]}</button>`
        }
      </div>
    </form>
  </dialog>`
}

/** @typedef {{ why: string, step: string, input: string }} Fields */

/**
 * @param {Asked} present
 * @param {Fields} fields
 */
function needsOf({ kind, jobs, filter }, { step }) {
  const isOne = jobs?.length === 1 && filter === undefined
  return {
    isOne,
    needsWhy: kind === 'resubmit' || kind === 'cancel',
    hasInput: kind === 'raise' || (kind === 'resubmit' && isOne && step !== ''),
  }
}

/**
 * Returns what is missing, the body of the request, and the commands that do the same.
 *
 * @param {Asked} present
 * @param {Fields} fields
 */
function decided(present, fields) {
  const { kind, jobs = [], filter } = present
  const { isOne, needsWhy, hasInput } = needsOf(present, fields)
  const [why, step, input] = [fields.why.trim(), fields.step, fields.input.trim()]
  const problem = whatIsMissing({ needsWhy, why, hasInput, input })
  const isEdited = hasInput && input !== ''
  const parts = {
    ...(kind === 'raise' || why === '' ? {} : { why }),
    ...(step === '' || !isOne ? {} : { step }),
  }
  const shared = {
    ...parts,
    ...(needsWhy ? { why } : {}),
    ...(isEdited ? { input } : {}),
    kind,
    storeArguments: about.value?.storeArguments ?? [],
  }
  return {
    problem,
    body: { ...parts, ...(isEdited && problem === '' ? bodyInput(kind, input) : {}) },
    commands:
      filter === undefined
        ? jobs.map(({ jobId }) => commandOf({ ...shared, jobId }))
        : [commandOf({ ...shared, filter })],
  }
}

/** @param {{ present: Asked, fields: Fields, setFields: (fields: Fields) => void }} props */
function FieldsOf({ present, fields, setFields }) {
  const { kind, steps = [] } = present
  const { isOne, needsWhy, hasInput } = needsOf(present, fields)
  /** @param {{ currentTarget: { name: string, value: string } }} event */
  const onInput = ({ currentTarget: { name, value } }) => setFields({ ...fields, [name]: value })
  const hint = `Reason${needsWhy ? '' : ' (optional)'}, stored with the decision of ${about.value?.by ?? 'you'}`
  return html`${
    steps.length > 0 && isOne
      ? html`<label>
            Step
            <select name="step" value=${fields.step} onChange=${onInput}>
              ${kind === 'raise' ? null : html`<option value="">all that it concerns</option>`}
              ${steps.map((name) => html`<option value=${name}>${name}</option>`)}
            </select>
          </label>`
      : null
  }
    ${
      hasInput
        ? html`<label>
            ${kind === 'raise' ? 'Payload, as JSON (empty: null)' : 'New input, as JSON (empty: the present input)'}
            <textarea name="input" rows="6" spellcheck=${false} value=${fields.input} onInput=${onInput}></textarea>
          </label>`
        : null
    }
    ${
      kind === 'raise'
        ? null
        : html`<label>${hint} <input name="why" type="text" autofocus value=${fields.why} onInput=${onInput} /></label>`
    }`
}

/**
 * @param {{ needsWhy: boolean, why: string, hasInput: boolean, input: string }} parts
 * @returns {string}
 */
function whatIsMissing({ needsWhy, why, hasInput, input }) {
  if (hasInput && input.trim() !== '') {
    try {
      JSON.parse(input)
    } catch {
      return 'The input is not JSON.'
    }
  }
  return needsWhy && why.trim() === '' ? 'Give the reason.' : ''
}

/**
 * @param {Kind} kind
 * @param {string} input
 */
function bodyInput(kind, input) {
  const value = /** @type {unknown} */ (JSON.parse(input))
  return kind === 'raise' ? { payload: value } : { input: value }
}

/** @param {Asked} present */
function whichJobs({ jobs = [], filter }) {
  if (filter !== undefined) return 'every job that matches'
  const [first] = jobs
  return jobs.length === 1 && first !== undefined ? first.jobId : counted(jobs.length, 'job', 'jobs')
}

/** @param {{ report: Report }} props */
function Result({ report: { isDryRun, done, refused } }) {
  const verb = isDryRun ? 'would accept this; nothing was written' : 'accepted this'
  return html`<div role="status" class="result">
    <p>
      ${`${counted(done.length, 'job', 'jobs')} ${verb}${refused.length === 0 ? '.' : `, ${refused.length} refused:`}`}
    </p>
    ${
      refused.length === 0
        ? null
        : html`<ul>
            ${refused.slice(0, 100).map(({ jobId, reason }) => html`<li><bdi>${jobId}</bdi>: ${reason}</li>`)}
          </ul>`
    }
  </div>`
}
