/** @import { Job, Step } from '../state/shapes.js' */
import { differenceOf } from '../state/difference.js'

/**
 * The present input of a job or a step: a JSON text that a person edits, or a note that says why the page does not have it.
 *
 * @typedef {{ text: string, note: string }} PresentInput
 *
 * @typedef {(stepId: string | null) => PresentInput} PresentInputs
 */

/** The text that the server sends in place of a secret. */
const secretText = '•••• secret'

/** The longest text that a field shows. */
const longest = 20_000

/** @type {PresentInput} */
export const nothing = { text: '', note: '' }

/** @type {PresentInput} A list of jobs has no inputs. */
export const elsewhere = {
  text: '',
  note: 'The view of the job shows the present input. An empty field keeps this input.',
}

/**
 * Returns the function that knows the present inputs of a job and, by their ids, of its steps.
 *
 * @param {Pick<Job, 'input' | 'steps'>} job
 * @returns {PresentInputs}
 */
export function presentInputsOf({ input, steps }) {
  return (stepId) => {
    if (stepId === null) return offered(input)
    const step = steps.find((one) => one.stepId === stepId)
    return step === undefined ? nothing : inputOfStep(step)
  }
}

/**
 * @param {Step} step
 * @returns {PresentInput}
 */
function inputOfStep({ kind, direction, input, inputTemplate }) {
  if (kind !== 'operation') return { text: '', note: 'This step takes no input.' }
  if (direction === 'undo') return kept('The page has only the input of the undo of this step.')
  if (input !== null) return offered(input)
  return /"\$(?:from|literal)":/u.test(JSON.stringify(inputTemplate))
    ? kept('This input is made from other values when the step begins.')
    : offered(inputTemplate)
}

/**
 * Returns the text of a value for a field, or a note if the page does not have the whole value.
 *
 * @param {unknown} value
 * @returns {PresentInput}
 */
function offered(value) {
  const text = JSON.stringify(value, null, 2)
  if (text.includes(secretText))
    return kept('The present input has secret values, which are not sent to the page.')
  if (text.includes('"$payload":')) return kept('A part of the present input is in the payload store.')
  if (text.length > longest)
    return kept(`The present input is too long for this field: ${text.length} characters.`)
  return { text, note: '' }
}

/**
 * @param {string} why
 * @returns {PresentInput}
 */
function kept(why) {
  return { text: '', note: `${why} An empty field keeps the present input.` }
}

/**
 * Returns the text that a person has entered in place of the present input, or an empty text if the input stays.
 *
 * @param {string | undefined} entered undefined if nothing was entered
 * @param {PresentInput} present
 */
export function newInput(entered, { text }) {
  const given = (entered ?? '').trim()
  return given === '' || isSame(given, text) ? '' : given
}

/**
 * @param {string} one
 * @param {string} other
 */
function isSame(one, other) {
  if (other === '') return false
  try {
    const { rows, others } = differenceOf(JSON.parse(other), JSON.parse(one))
    return rows.length + others === 0
  } catch {
    return false
  }
}
