/** What a dialog sends, what it still needs, and the command that does the same. */
/**
 * @import { Field, Kind } from '../state/action-kinds.js'
 * @import { Question } from '../state/shapes.js'
 * @import { Asked } from './action-dialog.js'
 */
import { about } from '../state/about.js'
import { actionKinds } from '../state/action-kinds.js'
import { answerOf, fieldsOf } from '../state/answer-forms.js'
import { commandOf } from '../state/commands.js'
import { elsewhere, newInput, nothing } from '../inputs/present-input.js'

/**
 * The texts of the fields. The input is undefined until a person changes the present one.
 *
 * @typedef {{ why: string, step: string, input: string | undefined, more: Record<string, string>, answers: string[] }} Fields
 */

/**
 * Returns the first texts of the form of a question.
 *
 * @param {Asked} present
 */
export function answersOf({ question }) {
  return question === undefined ? [] : fieldsOf(question.form).map(({ first }) => first)
}

/**
 * Returns what the dialog asks for.
 *
 * @param {Asked} present
 * @param {Fields} fields
 */
export function needsOf({ kind, jobs, filter, target, limit, schedule = limit }, { step }) {
  const isOne = jobs?.length === 1 && filter === undefined
  const { fields = [], targetFields = [] } = actionKinds[kind]
  const asks = target === undefined ? fields : target.name === '' ? targetFields : []
  return {
    isOne,
    needsWhy: actionKinds[kind].reason === 'demanded',
    takesWhy: actionKinds[kind].reason !== 'none',
    more: asks.filter(
      ({ isName, isForOne }) => (isName !== true || schedule === undefined) && (isForOne !== true || isOne),
    ),
    hasInput:
      kind === 'raise' ||
      kind === 'schedule set' ||
      (kind === 'restart' && isOne) ||
      (kind === 'resubmit' && isOne && step !== ''),
  }
}

/**
 * Returns what is missing, what is missing for a dry run, the body of the request, and the commands that do the same. A dry
 * run stores no reason, so it needs none.
 *
 * @param {Asked} present
 * @param {Fields} fields
 */
export function decided(present, fields) {
  const { kind, jobs = [], filter, limit, question, present: stored = {} } = present
  if (question !== undefined) return answered(question, fields)
  const { isOne, needsWhy, takesWhy, hasInput, more } = needsOf(present, fields)
  const [why, step] = [fields.why.trim(), fields.step]
  const input = newInput(fields.input, presentInputs(present, fields).input)
  const told = more.map((field) => ({ ...field, value: entered(present, fields, field.name) }))
  const wanted = told.filter(
    ({ name, value, isOptional }) => (value !== '' || isOptional !== true) && value !== stored[name],
  )
  const {
    schedule: named,
    key,
    ...texts
  } = Object.fromEntries(wanted.map(({ name, value }) => [name, value]))
  const target = targetOf(present, texts)
  const given = target === undefined ? texts : {}
  const schedule =
    present.schedule ?? limit ?? (named === '' ? 'SCHEDULE' : named) ?? (key === '' ? 'KEY' : key)
  const missing = wanted.find(({ value }) => value === '')
  const wrong =
    missing === undefined
      ? isUnchanged(present, given, input)
        ? 'Change a part.'
        : whatIsWrong({ hasInput, input, more: wanted })
      : `Give ${missing.label.toLowerCase()}.`
  const lacking = wrong === '' && needsWhy && why === '' ? 'Give the reason.' : wrong
  const [dryProblem, problem] = mayAct(kind) ? [wrong, lacking] : [notPermitted, notPermitted]
  const isFleet = actionKinds[kind].on === 'fleet'
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
    ...origin(isFleet),
  }
  return {
    problem,
    dryProblem,
    isIncomplete: lacking !== '',
    body: {
      ...parts,
      ...(dryProblem === '' ? parsedFields(wanted, given) : given),
      ...(named === undefined ? {} : { schedule: named }),
      ...(key === undefined ? {} : { key }),
      ...(target === undefined ? {} : { target: { kind: target.what, name: target.name } }),
      ...(isEdited && dryProblem === '' ? bodyInput(kind, input) : {}),
    },
    commands:
      target !== undefined
        ? [commandOf({ ...shared, target })]
        : schedule !== undefined || isFleet
          ? [commandOf({ ...shared, ...(schedule === undefined ? {} : { schedule }) })]
          : filter === undefined
            ? jobs.map(({ jobId }) => commandOf({ ...shared, jobId }))
            : [commandOf({ ...shared, filter })],
  }
}

/**
 * Returns the present values of the fields that contain inputs.
 *
 * @param {Asked} present
 * @param {Fields} fields
 */
export function presentInputs({ kind, inputOf = () => elsewhere }, { step, more }) {
  return {
    input: kind === 'restart' ? inputOf(null) : kind === 'resubmit' && step !== '' ? inputOf(step) : nothing,
    stepInput: inputOf(more['from'] ?? ''),
  }
}

/**
 * Returns what a person has entered, without an input that stays as it is.
 *
 * @param {Asked} present
 * @param {Fields} fields
 * @param {string} name
 */
function entered(present, fields, name) {
  const text = fields.more[name]
  return name === 'stepInput'
    ? newInput(text, presentInputs(present, fields).stepInput)
    : (text?.trim() ?? '')
}

/**
 * Returns the parts of commands that the page knows: the store and perhaps the fleet, the person and the module.
 *
 * @param {boolean} isFleet
 */
export function origin(isFleet) {
  const { storeArguments = [], fleetOptions, byArguments = [], module = null } = about.value ?? {}
  return {
    storeArguments: [...(isFleet ? (fleetOptions ?? []) : []), ...storeArguments],
    byArguments,
    module,
  }
}

/**
 * @param {Asked} present
 * @param {Record<string, string>} texts
 */
function targetOf({ target }, { what = '', name = '' }) {
  return target?.name === '' ? { what, name } : target
}

/**
 * Returns what the report of an action counts, if it is not what its kind says.
 *
 * @param {Asked} present
 * @param {Record<string, string>} more
 * @returns {[string, string] | undefined}
 */
export function thingOf({ target }, more) {
  if (target === undefined) return undefined
  const what = target.what || (more['what'] ?? '')
  return [what, `${what}s`]
}

/**
 * Returns the fields for the body of the request, with the values of those that are JSON.
 *
 * @param {Field[]} fields
 * @param {Record<string, string>} given
 */
function parsedFields(fields, given) {
  return Object.fromEntries(
    Object.entries(given).map(([name, text]) => {
      const isJson = fields.some((field) => field.name === name && field.isJson === true)
      return [name, isJson ? /** @type {unknown} */ (JSON.parse(text)) : text]
    }),
  )
}

/**
 * @param {Question} question
 * @param {Fields} fields
 */
function answered({ form, jobId, stepId: step }, fields) {
  const { answer, problem } = answerOf(fieldsOf(form), fields.answers)
  const note = fields.why.trim()
  const given = problem === '' ? { answer } : {}
  const shown = mayAct('answer') ? problem : notPermitted
  return {
    problem: shown,
    dryProblem: shown,
    isIncomplete: problem !== '',
    body: { step, ...given, ...(note === '' ? {} : { note }) },
    commands: [commandOf({ kind: 'answer', jobId, step, ...given, note, ...origin(false) })],
  }
}

/**
 * @param {Asked} present
 * @param {Record<string, string>} given
 * @param {string} input
 */
function isUnchanged({ kind }, given, input) {
  const isPart = kind === 'schedule set' || kind === 'triage' || kind === 'limit set'
  return isPart && input === '' && Object.keys(given).length === 0
}

const notPermitted = 'Your role does not permit this.'

/** @param {Kind} kind */
function mayAct(kind) {
  return (about.value?.may ?? [kind]).includes(kind)
}

/**
 * @param {Kind} kind
 * @param {string} input
 */
function bodyInput(kind, input) {
  const value = /** @type {unknown} */ (JSON.parse(input))
  return kind === 'raise' ? { payload: value } : { input: value }
}

/**
 * Says which field of a dialog is wrong, or returns an empty text.
 *
 * @param {{ hasInput: boolean, input: string, more: { label: string, value: string, isJson?: boolean }[] }} parts
 * @returns {string}
 */
function whatIsWrong({ hasInput, input, more }) {
  if (hasInput && input.trim() !== '' && !isJson(input)) return 'The input is not JSON.'
  const wrong = more.find((field) => field.isJson === true && !isJson(field.value))
  return wrong === undefined ? '' : `This is not JSON: ${wrong.label.replace(/,.*/u, '').toLowerCase()}.`
}

/**
 * Checks whether a text is JSON.
 *
 * @param {string} text
 */
export function isJson(text) {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
