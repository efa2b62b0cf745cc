/**
 * @import { Kind } from '../state/action-kinds.js'
 * @import { Filter } from '../state/commands.js'
 * @import { Question, Report, JobName } from '../state/shapes.js'
 */
import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { actionKinds } from '../state/action-kinds.js'
import { answerOf, fieldsOf } from '../state/answer-forms.js'
import { commandOf } from '../state/commands.js'
import { counted } from '../state/formats.js'
import { about } from '../state/about.js'
import { AnswerFields } from './answer-fields.js'
import { Command, Problem } from './basics.js'
import { useRun } from './action-run.js'
import { html } from './html.js'

/**
 * What the dialog asks: an action on one job, on jobs that a person ticked, on all that match a filter, or on a
 * schedule.
 *
 * @typedef {{ kind: Kind, jobs?: JobName[], filter?: Filter, schedule?: string, limit?: string, question?: Question, steps?: string[], step?: string | undefined, input?: string,
 *   onDone?: () => void }} Asked
 */

/** The open dialog, or null. */
export const asked = signal(/** @type {Asked | null} */ (null))

/** The dialog of all actions. */
export function ActionDialog() {
  const present = asked.value
  return present === null ? null : html`<${Open} key=${JSON.stringify(present)} present=${present} />`
}

/** @param {{ present: Asked }} props */
function Open({ present }) {
  const { kind } = present
  const box = useRef(/** @type {HTMLDialogElement | null} */ (null))
  const [fields, setFields] = useState(
    /** @type {Fields} */ ({
      why: '',
      step: present.step ?? '',
      input: present.input ?? '',
      more: {},
      answers: answersOf(present),
    }),
  )
  const { title, effect, hasDryRun } = actionKinds[kind]
  const { isBusy, report, error, progress, run, stop } = useRun(present)
  useEffect(() => box.current?.showModal(), [])
  const close = () => {
    asked.value = null
  }
  const { problem, body, commands } = decided(present, fields)
  return html`<dialog ref=${box} onClose=${close} aria-labelledby="dialog-title">
    <form
      method="dialog"
      onSubmit=${(/** @type {Event} */ event) => {
        event.preventDefault()
        if (problem === '') void run(body, false)
      }}
    >
      <h2 id="dialog-title">${title}: ${what(present)}</h2>
      <p>${effect}</p>
      <${FieldsOf} present=${present} fields=${fields} setFields=${setFields} />
      <${Command} text=${commands.join('\n')} />
      <${Problem} error=${error} />
      ${
        progress === null
          ? null
          : html`<label class="progress"
              >${`${progress.reached} of ${progress.total}`}
              <progress max=${progress.total} value=${progress.reached}></progress>
            </label>`
      }
      ${report === null ? null : html`<${Result} kind=${kind} report=${report} />`}
      <div class="buttons">
        <span class="quiet">${problem}</span>
        <button type="button" onClick=${close}>Close</button>
        ${isBusy ? html`<button type="button" onClick=${stop}>Stop</button>` : null}
        ${
          isBusy || !hasDryRun
            ? null
            : html`<button type="button" disabled=${problem !== ''} onClick=${() => run(body, true)}>Dry run</button>`
        }
        ${
          isBusy
            ? null
            : html`<button type="submit" class="primary" disabled=${problem !== ''}>${title}</button>`
        }
      </div>
    </form>
  </dialog>`
}

/** @typedef {{ why: string, step: string, input: string, more: Record<string, string>, answers: string[] }} Fields */

/** @param {Asked} present */
function answersOf({ question }) {
  return question === undefined ? [] : fieldsOf(question.form).map(({ first }) => first)
}

/**
 * @param {Asked} present
 * @param {Fields} fields
 */
function needsOf({ kind, jobs, filter }, { step }) {
  const isOne = jobs?.length === 1 && filter === undefined
  return {
    isOne,
    needsWhy: actionKinds[kind].reason === 'demanded',
    takesWhy: actionKinds[kind].reason !== 'none',
    more: actionKinds[kind].fields ?? [],
    hasInput:
      kind === 'raise' || (kind === 'restart' && isOne) || (kind === 'resubmit' && isOne && step !== ''),
  }
}

/**
 * Returns what is missing, the body of the request, and the commands that do the same.
 *
 * @param {Asked} present
 * @param {Fields} fields
 */
function decided(present, fields) {
  const { kind, jobs = [], filter, limit, schedule = limit, question } = present
  if (question !== undefined) return answered(question, fields)
  const { isOne, needsWhy, takesWhy, hasInput, more } = needsOf(present, fields)
  const [why, step, input] = [fields.why.trim(), fields.step, fields.input.trim()]
  const told = more.map((field) => ({ ...field, value: fields.more[field.name]?.trim() ?? '' }))
  const wanted = told.filter(({ value, isOptional }) => value !== '' || isOptional !== true)
  const given = Object.fromEntries(wanted.map(({ name, value }) => [name, value]))
  const missing = wanted.find(({ value }) => value === '')
  const problem = !mayAct(kind)
    ? notPermitted
    : missing === undefined
      ? whatIsMissing({ needsWhy, why, hasInput, input })
      : `Give ${missing.label.toLowerCase()}.`
  const isEdited = hasInput && input !== ''
  const parts = {
    ...(!takesWhy || why === '' ? {} : { why }),
    ...(step === '' || !isOne ? {} : { step }),
  }
  const shared = {
    ...parts,
    ...(needsWhy ? { why } : {}),
    ...(isEdited ? { input } : {}),
    kind,
    fields: given,
    storeArguments: about.value?.storeArguments ?? [],
  }
  return {
    problem,
    body: { ...parts, ...given, ...(isEdited && problem === '' ? bodyInput(kind, input) : {}) },
    commands:
      schedule !== undefined
        ? [commandOf({ ...shared, schedule })]
        : filter === undefined
          ? jobs.map(({ jobId }) => commandOf({ ...shared, jobId }))
          : [commandOf({ ...shared, filter })],
  }
}

/**
 * @param {Question} question
 * @param {Fields} fields
 */
function answered({ form, jobId, stepId: step }, fields) {
  const { answer, problem } = answerOf(fieldsOf(form), fields.answers)
  const note = fields.why.trim()
  const storeArguments = about.value?.storeArguments ?? []
  const given = problem === '' ? { answer } : {}
  return {
    problem: mayAct('answer') ? problem : notPermitted,
    body: { step, ...given, ...(note === '' ? {} : { note }) },
    commands: [commandOf({ kind: 'answer', jobId, step, ...given, note, storeArguments })],
  }
}

const notPermitted = 'Your role does not permit this.'

/** @param {Kind} kind */
function mayAct(kind) {
  return (about.value?.may ?? [kind]).includes(kind)
}

/** @param {{ present: Asked, fields: Fields, setFields: (fields: Fields) => void }} props */
function FieldsOf({ present, fields, setFields }) {
  if (present.question !== undefined) {
    return html`<${AnswerFields}
      question=${present.question}
      fields=${fieldsOf(present.question.form)}
      texts=${fields.answers}
      note=${fields.why}
      setTexts=${(/** @type {string[]} */ answers) => setFields({ ...fields, answers })}
      setNote=${(/** @type {string} */ why) => setFields({ ...fields, why })}
    />`
  }
  const { kind, steps = [] } = present
  const { isOne, needsWhy, takesWhy, hasInput, more } = needsOf(present, fields)
  /** @param {{ currentTarget: { name: string, value: string } }} event */
  const onInput = ({ currentTarget: { name, value } }) => setFields({ ...fields, [name]: value })
  /** @param {{ currentTarget: { name: string, value: string } }} event */
  const onMore = ({ currentTarget: { name, value } }) =>
    setFields({ ...fields, more: { ...fields.more, [name]: value } })
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
    ${more.map(
      ({ name, label, placeholder }) =>
        html`<label
          >${label} <input name=${name} type="text" placeholder=${placeholder} value=${fields.more[name] ?? ''} onInput=${onMore}
        /></label>`,
    )}
    ${
      takesWhy
        ? html`<label>${hint} <input name="why" type="text" autofocus value=${fields.why} onInput=${onInput} /></label>`
        : null
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
function what({ jobs = [], filter, limit, schedule = limit }) {
  if (schedule !== undefined) return schedule
  if (filter !== undefined) return 'every job that matches'
  const [first] = jobs
  return jobs.length === 1 && first !== undefined ? first.jobId : counted(jobs.length, 'job', 'jobs')
}

/** @param {{ kind: Kind, report: Report }} props */
function Result({ kind, report: { isDryRun, done, refused } }) {
  const { thing } = actionKinds[kind]
  const verb = isDryRun ? 'would accept this; nothing was written' : 'accepted this'
  return html`<div role="status" class="result">
    <p>
      ${`${counted(done.length, ...thing)} ${verb}${refused.length === 0 ? '.' : `, ${refused.length} refused:`}`}
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
