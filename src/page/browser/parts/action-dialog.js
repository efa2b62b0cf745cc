/**
 * @import { Kind } from '../state/action-kinds.js'
 * @import { Filter } from '../state/commands.js'
 * @import { Fields } from './action-decision.js'
 * @import { Question, JobName } from '../state/shapes.js'
 */
import { signal } from '@preact/signals'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { actionKinds } from '../state/action-kinds.js'
import { fieldsOf } from '../state/answer-forms.js'
import { about } from '../state/about.js'
import { MoreField } from './more-field.js'
import { AnswerFields } from './answer-fields.js'
import { Command, Problem } from './basics.js'
import { answersOf, decided, needsOf, presentInputs, thingOf } from './action-decision.js'
import { buttonText, effectOf, hintFirst, what } from './action-texts.js'
import { ActionResult, inFields } from './action-result.js'
import { ActingButtons, LastButton, withoutRepeats } from './dialog-buttons.js'
import { useRun } from './action-run.js'
import { html } from './html.js'

/**
 * What the dialog asks: an action on one job, on jobs that a person ticked, on all that match a filter, or on a
 * schedule. `present` has the stored values of fields, which are not sent again. `target` is a workflow, an agent or a key
 * to pause, with empty texts if the dialog asks for them. `isUndo` says that an undo failed. `inputOf` knows the present inputs of the job and its steps.
 *
 * @typedef {{ kind: Kind, jobs?: JobName[], filter?: Filter, thing?: string, schedule?: string, limit?: string, question?: Question, target?: { what: string, name: string }, present?: Record<string, string>, steps?: string[], step?: string | undefined, isUndo?: boolean,
 *   inputOf?: import('../inputs/present-input.js').PresentInputs,
 *   onDone?: () => void }} Asked
 */

/** The open dialog, or null. */
export const asked = signal(/** @type {Asked | null} */ (null))

/** The dialog of all actions. It waits until the page knows the store and the person, because its commands name both. */
export function ActionDialog() {
  const present = asked.value
  return present === null || about.value === null
    ? null
    : html`<${Open} key=${JSON.stringify(present)} present=${present} />`
}

/** @param {{ present: Asked }} props */
function Open({ present }) {
  const { kind } = present
  const box = useModal()
  const [fields, setFields] = useState(() => firstFields(present))
  const { title, hasDryRun } = actionKinds[kind]
  const { isBusy, report, error, progress, run, stop } = useRun(present)
  const [triedText, setTried] = useState('')
  const result = useSeen(report ?? error)
  const close = () => {
    // The event of a closed dialog arrives later, and must not close a dialog that opened meanwhile.
    if (asked.value === present) asked.value = null
  }
  const { problem, dryProblem, isIncomplete, body, commands } = decided(present, fields)
  const bodyText = textWithoutReason(body)
  const hasTried =
    report?.isDryRun === true && report.isStopped !== true && report.done.length > 0 && triedText === bodyText
  const isTriedFirst = hasDryRun && (present.filter !== undefined || stopsAll(present, fields))
  const mustTry = isTriedFirst && !hasTried
  const begin = (/** @type {boolean} */ isDryRun) => {
    setTried(bodyText)
    void run(body, isDryRun)
  }
  const tryIt = () => begin(true)
  // A result says nothing about fields that have changed since.
  const isCurrent = isBusy || triedText === bodyText
  const isOver = report?.isDryRun === false && report.done.length > 0 && error === null && !isBusy
  const jobCount = present.filter === undefined ? (present.jobs ?? []).length : (report?.done.length ?? 0)
  const hint = isOver ? '' : isBusy ? 'Under way…' : mustTry ? dryProblem || hintFirst(present) : problem
  return html`<dialog ref=${box} onCancel=${close} onClose=${close} aria-labelledby="dialog-title">
    <form
      method="dialog"
      onKeyDown=${withoutRepeats}
      onSubmit=${(/** @type {Event} */ event) => {
        event.preventDefault()
        if (isBusy || isOver) return
        if (mustTry) {
          if (dryProblem === '') tryIt()
        } else if (problem === '') begin(false)
      }}
    >
      <h2 id="dialog-title">${title}: ${what(present)}</h2>
      <p>${effectOf(present, fields)}</p>
      ${isOver ? null : html`<${FieldsOf} present=${present} fields=${fields} setFields=${setFields} />`}
      <${Command} text=${commands.join('\n')} isIncomplete=${isIncomplete} />
      <div ref=${result}><${Problem} error=${isCurrent && error !== null ? inFields(error) : null} />
      ${progress === null ? null : html`<${ProgressBar} progress=${progress} />`}
      ${report === null || !isCurrent ? null : html`<${ActionResult} kind=${kind} report=${report} thing=${thingOf(present, fields.more)} close=${close} />`}</div>
      <div class="buttons">
        <span class="quiet">${hint}</span>
        ${
          isOver
            ? html`<${LastButton} close=${close} />`
            : html`<button type="button" onClick=${close}>Close</button>
                ${
                  isBusy
                    ? stop && html`<button type="button" onClick=${stop}>Stop</button>`
                    : html`<${ActingButtons}
                        tryIt=${hasDryRun ? tryIt : null}
                        mustTry=${mustTry}
                        mayTry=${dryProblem === ''}
                        mayAct=${problem === ''}
                        isTriedFirst=${isTriedFirst}
                        text=${buttonText(present, jobCount)}
                      />`
                }`
        }
      </div>
    </form>
  </dialog>`
}

/**
 * @param {Asked} present
 * @returns {Fields}
 */
function firstFields(present) {
  const { step = '', present: more = {} } = present
  return { why: '', step, input: undefined, more, answers: answersOf(present) }
}

/** @param {{ progress: import('./action-run.js').Progress }} props */
function ProgressBar({ progress: { reached, total } }) {
  return html`<label class="progress"
    >${`${reached} of ${total}`}
    <progress max=${total} value=${reached}></progress>
  </label>`
}

/** Shows the dialog while it is in the page. Returns the place for its element. */
function useModal() {
  const box = useRef(/** @type {HTMLDialogElement | null} */ (null))
  // A layout effect ends in the frame that removes the dialog, so no key that follows is lost.
  useLayoutEffect(() => {
    const opener = document.activeElement
    const dialog = box.current
    dialog?.showModal()
    return () => {
      // While a modal dialog is open, no element outside it can take the focus.
      dialog?.close()
      backTo(opener)
    }
  }, [])
  return box
}

/**
 * Scrolls a result into sight, because a long dialog would hide it. Returns the place for its element.
 *
 * @param {unknown} found the result, or null
 */
function useSeen(found) {
  const place = useRef(/** @type {HTMLElement | null} */ (null))
  useLayoutEffect(() => {
    if (found !== null) place.current?.scrollIntoView({ block: 'nearest' })
  }, [found])
  return place
}

/** @param {object} body */
function textWithoutReason(body) {
  const { why: _why, ...others } = /** @type {{ why?: string }} */ (body)
  return JSON.stringify(others)
}

/**
 * Checks whether a role would have no instance left. Only a dry run says what would then stand still.
 *
 * @param {Asked} present
 * @param {Fields} fields
 */
function stopsAll({ kind }, { more }) {
  return kind === 'scale' && (more['count'] ?? '').trim() !== '' && Number(more['count']) === 0
}

/**
 * Moves the keyboard back to the control that opened the dialog. If an action has removed or disabled the control, the keyboard
 * stays in the view, and does not begin again at the top of the page.
 *
 * @param {Element | null} opener
 */
function backTo(opener) {
  const place =
    opener?.isConnected === true && !opener.matches(':disabled') ? opener : document.getElementById('main')
  if (place instanceof HTMLElement) place.focus({ preventScroll: true })
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
  const onInput = ({ currentTarget: { name, value } }) =>
    // An input belongs to one step, so it does not stay if another step is chosen.
    setFields({
      ...fields,
      ...(name === 'step' && kind === 'resubmit' ? { input: undefined } : {}),
      [name]: value,
    })
  /** @param {{ currentTarget: { name: string, value: string } }} event */
  const onMore = ({ currentTarget: { name, value } }) => {
    const { stepInput, ...others } = fields.more
    const kept = name === 'from' || stepInput === undefined ? others : fields.more
    setFields({ ...fields, more: { ...kept, [name]: value } })
  }
  const known = presentInputs(present, fields)
  const hint = `Reason${needsWhy ? '' : ' (optional)'}, stored with the decision of ${about.value?.by ?? 'you'}`
  const newInput = hasInput
    ? html`<label key="input">
        ${inputLabel(present)}
        <textarea name="input" rows=${kind === 'schedule set' ? 3 : 6} spellcheck=${false} value=${fields.input ?? known.input.text} onInput=${onInput}></textarea>
        ${known.input.note === '' ? null : html`<span class="quiet">${known.input.note}</span>`}
      </label>`
    : null
  const others = more.map(
    (field) =>
      html`<${MoreField} key=${field.name} field=${field} steps=${steps} value=${fields.more[field.name] ?? (field.name === 'stepInput' ? known.stepInput.text : '')}
        note=${field.name === 'stepInput' ? known.stepInput.note : ''} onInput=${onMore} />`,
  )
  return html`${
    steps.length > 0 && isOne && kind !== 'restart'
      ? html`<label>
            Step
            <select name="step" value=${fields.step} onChange=${onInput}>
              ${kind === 'raise' ? null : html`<option value="">every step that needs it</option>`}
              ${steps.map((name) => html`<option value=${name}>${name}</option>`)}
            </select>
          </label>`
      : null
  }
    ${kind === 'restart' ? [others.slice(0, -1), newInput, others.slice(-1)] : [newInput, others]}
    ${
      takesWhy
        ? html`<label>${hint} <input name="why" type="text" value=${fields.why} onInput=${onInput} /></label>`
        : null
    }`
}

/** @param {Asked} present */
function inputLabel({ kind, schedule }) {
  if (kind === 'raise') return 'Payload, as JSON (empty: null)'
  if (kind === 'restart') return 'Input of the job, as JSON (unchanged or empty: the present input)'
  if (kind === 'schedule set' && schedule === undefined) return 'Input of each job, as JSON (empty: null)'
  if (kind === 'resubmit') return 'Input of the step, as JSON (unchanged or empty: the present input)'
  return 'New input, as JSON (empty: the present input)'
}
