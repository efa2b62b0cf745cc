/**
 * @import { Kind, Filter } from '../state/commands.js'
 * @import { Report, JobName } from '../state/shapes.js'
 */
import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { act } from '../state/api.js'
import { commandOf } from '../state/commands.js'
import { counted } from '../state/formats.js'
import { about } from '../state/about.js'
import { Command, Problem } from './basics.js'
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

/** The number of jobs in one request, so that the progress is shown and the action can be stopped. */
const atOnce = 20

/** The dialog of all actions. */
export function ActionDialog() {
  const present = asked.value
  return present === null ? null : html`<${Open} key=${JSON.stringify(present)} present=${present} />`
}

/** @param {{ present: Asked }} props */
function Open({ present }) {
  const { kind, jobs, filter, steps = [] } = present
  const box = useRef(/** @type {HTMLDialogElement | null} */ (null))
  const [why, setWhy] = useState('')
  const [step, setStep] = useState(present.step ?? '')
  const [input, setInput] = useState(present.input ?? '')
  const { isBusy, report, error, reached, run, stop } = useRun(present)
  useEffect(() => box.current?.showModal(), [])
  const close = () => {
    stop()
    asked.value = null
  }
  const isOne = jobs?.length === 1 && filter === undefined
  const needsWhy = kind === 'resubmit' || kind === 'cancel'
  const hasInput = kind === 'raise' || (kind === 'resubmit' && isOne && step !== '')
  const parts = {
    ...(kind === 'raise' || why.trim() === '' ? {} : { why: why.trim() }),
    ...(step === '' || !isOne ? {} : { step }),
  }
  const problem = whatIsMissing({ needsWhy, why, hasInput, input })
  const body = {
    ...parts,
    ...(hasInput && input.trim() !== '' && problem === '' ? bodyInput(kind, input) : {}),
  }
  const store = about.value?.storeArguments ?? []
  const shared = { kind, ...parts, ...(needsWhy ? { why: why.trim() } : {}), storeArguments: store }
  const edit = hasInput && input.trim() !== '' ? { input } : {}
  const commands =
    filter === undefined
      ? (jobs ?? []).map(({ jobId }) => commandOf({ ...shared, ...edit, jobId }))
      : [commandOf({ ...shared, filter })]
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
      ${
        steps.length > 0 && isOne && (kind === 'resubmit' || kind === 'release' || kind === 'raise')
          ? html`<label
              >Step
              <select
                value=${step}
                onChange=${(/** @type {any} */ event) => setStep(event.currentTarget.value)}
              >
                ${kind === 'raise' ? null : html`<option value="">all that it concerns</option>`}
                ${steps.map((name) => html`<option value=${name}>${name}</option>`)}
              </select></label
            >`
          : null
      }
      ${
        hasInput
          ? html`<label
              >${kind === 'raise' ? 'Payload' : 'New input (empty: the present input)'}
              <textarea
                rows="6"
                spellcheck=${false}
                value=${input}
                onInput=${(/** @type {any} */ event) => setInput(event.currentTarget.value)}
              ></textarea>
            </label>`
          : null
      }
      ${
        kind === 'raise'
          ? null
          : html`<label
              >Reason${needsWhy ? '' : ' (optional)'}, stored with the job as by ${about.value?.by ?? 'you'}
              <input
                type="text"
                value=${why}
                autofocus
                onInput=${(/** @type {any} */ event) => setWhy(event.currentTarget.value)}
            /></label>`
      }
      <${Command} text=${commands.join('\n')} />
      <${Problem} error=${error} />
      ${reached === null ? null : html`<progress max=${jobs?.length ?? 1} value=${reached}>${reached}</progress>`}
      ${report === null ? null : html`<${Result} report=${report} />`}
      <div class="buttons">
        <span class="quiet">${problem}</span>
        <button type="button" onClick=${close}>Close</button>
        ${
          isBusy
            ? html`<button type="button" onClick=${stop}>Stop</button>`
            : html`${
                kind === 'raise'
                  ? null
                  : html`<button type="button" disabled=${problem !== ''} onClick=${() => run(body, true)}>
                        Dry run
                      </button>`
              } <button type="submit" class="primary" disabled=${problem !== ''}>${titles[kind]}</button>`
        }
      </div>
    </form>
  </dialog>`
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

/** @param {Asked} present */
function useRun({ kind, jobs = [], filter, onDone }) {
  const [isBusy, setBusy] = useState(false)
  const [report, setReport] = useState(/** @type {Report | null} */ (null))
  const [error, setError] = useState(/** @type {string | null} */ (null))
  const [reached, setReached] = useState(/** @type {number | null} */ (null))
  const isStopped = useRef(false)
  const stop = () => {
    isStopped.current = true
  }
  /**
   * @param {object} body
   * @param {boolean} isDryRun
   */
  const run = async (body, isDryRun) => {
    isStopped.current = false
    setBusy(true)
    setError(null)
    setReport(null)
    const [only] = jobs
    const dry = kind === 'raise' ? {} : { dryRun: isDryRun }
    /** @type {Report} */
    let sum = { isDryRun, done: [], refused: [] }
    try {
      if (filter !== undefined) sum = await act(kind, { ...body, ...dry, filter })
      else if (jobs.length === 1 && only !== undefined) sum = await act(kind, { ...body, ...dry, job: only })
      else {
        for (let from = 0; from < jobs.length && !isStopped.current; from += atOnce) {
          setReached(from)
          const part = await act(kind, { ...body, ...dry, jobs: jobs.slice(from, from + atOnce) })
          sum = { isDryRun, done: [...sum.done, ...part.done], refused: [...sum.refused, ...part.refused] }
          setReport(sum)
        }
      }
      setReport(sum)
    } catch (reason) {
      setError(String(/** @type {Error} */ (reason).message))
    } finally {
      // The answer of an action may be lost, so the view reads again in any case.
      if (!isDryRun) onDone?.()
      setReached(null)
      setBusy(false)
    }
  }
  return { isBusy, report, error, reached, run, stop }
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
            ${refused.slice(0, 100).map(({ jobId, reason }) => html`<li><b>${jobId}</b>: ${reason}</li>`)}
          </ul>`
    }
  </div>`
}
