/** The commands of the command line that do what an action of the page does. */
/** @import { Kind } from './action-kinds.js' */
import { actionKinds } from './action-kinds.js'

/**
 * Quotes a word for a shell, whatever characters it contains.
 *
 * @param {string} text
 */
function word(text) {
  return /^[\w.:@/+=-]+$/u.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/**
 * @typedef {{ workflow?: string, state?: string, step?: string, since?: string, until?: string, tag?: string,
 *   text?: string, waitingFor?: string, agent?: string, took?: string, cause?: string, assignee?: string, snoozed?: string,
 *   notSnoozed?: string }} Filter
 *
 * @typedef {{ kind: Kind, jobId?: string, filter?: Filter, schedule?: string, step?: string, why?: string,
 *   isDryRun?: boolean, workflow?: string, input?: string, answer?: unknown, note?: string, fields?: Record<string, string>,
 *   target?: { what: string, name: string },
 *   storeArguments?: string[], byArguments?: string[], module?: string | null }} Action
 */

/**
 * Returns the command of an action on one job, on the jobs that match a filter, on a schedule or on a limit. `input` is a
 * JSON text.
 *
 * @param {Action} action
 */
export function commandOf({
  kind,
  jobId,
  filter,
  schedule,
  step,
  why,
  isDryRun,
  workflow,
  input,
  answer,
  note = '',
  fields = {},
  target,
  storeArguments = [],
  byArguments = [],
  module = null,
}) {
  const store = [...(isNameless(kind) ? [] : byArguments), ...storeArguments].map(word)
  const file = module === null ? 'MODULE' : word(module)
  if (kind === 'submit') return submitCommand({ jobId, workflow, input, fields }, file, store)
  const options =
    kind === 'answer'
      ? answerWords(answer, note)
      : kind === 'raise'
        ? input === undefined
          ? []
          : ['--payload', 'input.json']
        : optionsOf({ step, why, isDryRun, input })
  const one = schedule ?? jobId
  const isFleet = actionKinds[kind].on === 'fleet'
  const names = namesOf({ kind, one, step, fields, target })
  const words = [
    'stepward',
    kind,
    ...(one === undefined && !isFleet && target === undefined ? filterWords(filter ?? {}) : []),
    ...Object.entries(isFleet ? {} : fields).flatMap(([name, value]) => [
      optionOf(name),
      value === '' ? missingWord(kind, name) : (jsonFiles[name] ?? word(value)),
    ]),
    ...(kind === 'migrate' ? ['--module', file] : []),
    ...(kind === 'schedule set' && fields['workflow'] !== undefined ? ['--workflows', file] : []),
    ...options,
    ...(actionKinds[kind].isConfirmed === true ? ['--yes'] : []),
    ...store,
    // A name that begins with a dash would be read as an option.
    ...(names.some((name) => name.startsWith('-')) ? ['--'] : []),
    ...names.map(word),
  ]
  const files = [
    ...(input === undefined ? [] : [['input.json', input]]),
    ...Object.entries(jsonFiles).flatMap(([name, file]) => (fields[name] ? [[file, fields[name]]] : [])),
  ].map(([path, json]) => `printf %s ${word(oneLine(json))} > ${path} && `)
  return `${files.join('')}${words.join(' ')}`
}

/**
 * @param {{ jobId: string | undefined, workflow: string | undefined, input: string | undefined, fields: Record<string, string> }} parts
 * @param {string} file the module with the workflow
 * @param {string[]} store
 */
function submitCommand({ jobId, workflow, input, fields }, file, store) {
  const named = jobId === undefined ? [] : [`--job-id=${word(jobId === '' ? 'ID' : jobId)}`]
  const terms = Object.entries(fields).flatMap(([name, value]) =>
    (name === 'tag' ? linesOf(value) : [value.trim()])
      .filter((one) => one !== '')
      .map((one) => `${optionOf(name)}=${word(one)}`),
  )
  const words = [
    'stepward',
    'submit',
    word(workflow ?? ''),
    '-',
    '--workflows',
    file,
    ...named,
    ...terms,
    ...store,
  ]
  return `printf %s ${word(oneLine(input))} | ${words.join(' ')}`
}

/**
 * Returns the words of a command that are no options.
 *
 * @param {{ kind: Kind, one: string | undefined, step: string | undefined, fields: Record<string, string>,
 *   target: Action['target'] | undefined }} parts
 */
function namesOf({ kind, one, step, fields, target }) {
  if (target !== undefined) return [target.what || 'WHAT', target.name || 'NAME']
  if (one !== undefined) {
    const what = kind === 'pause' || kind === 'resume' ? ['job'] : []
    return [...what, one, ...(kind === 'raise' || kind === 'answer' ? [step ?? ''] : [])]
  }
  if (actionKinds[kind].on !== 'fleet') return []
  return Object.entries(fields).map(([name, value]) => (value === '' ? (wordsOfMissing[name] ?? '') : value))
}

/**
 * @param {Kind} kind
 * @param {string} name
 */
function missingWord(kind, name) {
  return wordsOfMissing[name] ?? (kind === 'restart' ? 'STEP' : 'TIME')
}

/**
 * @param {{ step: string | undefined, why: string | undefined, isDryRun: boolean | undefined,
 *   input: string | undefined }} parts
 */
function optionsOf({ step, why, isDryRun, input }) {
  return [
    ...(step === undefined ? [] : ['--step', word(step)]),
    ...(input === undefined ? [] : ['--input', 'input.json']),
    ...(why === undefined ? [] : ['--why', why === '' ? 'TEXT' : word(why)]),
    ...(isDryRun === true ? ['--dry-run'] : []),
  ]
}

/**
 * @param {unknown} answer
 * @param {string} note
 */
function answerWords(answer, note) {
  const said =
    answer === undefined
      ? ['--answer', 'JSON']
      : typeof answer === 'boolean'
        ? [answer ? '--yes' : '--no']
        : [`--answer=${word(JSON.stringify(answer))}`]
  return [...said, ...(note === '' ? [] : [`--note=${word(note)}`])]
}

/** The options without a value. */
const withoutValue = ['snoozed', 'notSnoozed']

/** @param {Filter} filter */
function filterWords(filter) {
  const given = Object.entries(filter).filter(([, value]) => value !== '')
  if (given.length === 0) return ['--all']
  // A text that begins with a dash would be read as an option.
  return given.flatMap(([name, value]) =>
    withoutValue.includes(name)
      ? [optionOf(name)]
      : value.startsWith('-')
        ? [`${optionOf(name)}=${word(value)}`]
        : [optionOf(name), word(value)],
  )
}

/** @param {string} name */
function optionOf(name) {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

/**
 * Returns the lines of a text that are not empty.
 *
 * @param {string} text
 */
export function linesOf(text) {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** @param {string | undefined} json */
function oneLine(json = 'null') {
  try {
    return JSON.stringify(JSON.parse(json))
  } catch {
    return json
  }
}

/**
 * Checks whether the command of an action stores no name of a person.
 *
 * @param {Kind} kind
 */
export function isNameless(kind) {
  return kind === 'submit' || kind === 'raise'
}

/** @type {Record<string, string>} The words for options that are not given yet. */
const wordsOfMissing = { workflow: 'NAME', role: 'ROLE', count: 'N' }

/** @type {Record<string, string>} The files that commands read in place of JSON, by the names of the fields. */
const jsonFiles = { stepInput: 'step-input.json' }

/** The options of the command `cost`, by the names of the questions. */
const costOptions = /** @type {const} */ ({
  steps: 'steps',
  claimedSteps: 'claimed-steps',
  documentKb: 'document-kb',
  partitions: 'partitions',
  instances: 'instances',
  jobsPerDay: 'jobs-per-day',
})

/**
 * Returns the command that computes the same cost. An empty answer is the default.
 *
 * @param {Record<string, string>} given
 */
export function costCommand(given) {
  const options = Object.entries(costOptions).flatMap(([name, option]) => {
    const value = given[name] ?? ''
    return value === '' ? [] : [`--${option}`, word(value)]
  })
  return ['stepward', 'cost', ...options].join(' ')
}

/**
 * Returns the command that shows the same usage. An empty answer is the default.
 *
 * @param {{ hours: string, provisioned: string }} given
 * @param {string[]} storeArguments
 */
export function usageCommand({ hours, provisioned }, storeArguments) {
  return [
    'stepward usage',
    ...(hours === '' ? [] : ['--hours', word(hours)]),
    ...(provisioned === '' ? [] : ['--provisioned', word(provisioned)]),
    ...storeArguments.map(word),
  ].join(' ')
}

/**
 * Returns the command that lists the same dead letters. Without a database, the command uses that of the store.
 *
 * @param {{ container: string, database: string | null }} place
 * @param {string[]} storeArguments
 */
export function deadLettersCommand({ container, database }, storeArguments) {
  const at = storeArguments.indexOf('--database')
  const others = storeArguments.filter((_, index) => at < 0 || (index !== at && index !== at + 1))
  const options = database === null ? storeArguments : [...others, '--database', database]
  return ['stepward', 'dead-letters', ...options.map(word), '--', word(container)].join(' ')
}

/**
 * Adds the options of the store to a command that the server advises.
 *
 * @param {string} command
 * @param {string[]} storeArguments
 */
export function onSameStore(command, storeArguments) {
  return [command, ...storeArguments.map(word)].join(' ')
}
