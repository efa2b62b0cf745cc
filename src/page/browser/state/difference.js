/** @import { Job, Step } from './shapes.js' */

/**
 * A part that differs. A value that one side does not have is null.
 *
 * @typedef {{ path: string, left: string | null, right: string | null }} DifferenceRow
 */

/** The largest number of parts that are listed, and of characters of a value. */
const mostRows = 200
const mostCharacters = 2_000

/**
 * Returns the smallest parts in which two values differ, and how many more there are.
 *
 * @param {unknown} left
 * @param {unknown} right
 * @returns {{ rows: DifferenceRow[], others: number, same: number }}
 */
export function differenceOf(left, right) {
  /** @type {DifferenceRow[]} */
  const rows = []
  let [others, same] = [0, 0]
  /** @type {{ path: string, left: unknown, right: unknown }[]} */
  const ahead = [{ path: '', left, right }]
  // A list of what is ahead needs no recursion, so a deeply nested value is no problem.
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    const { path, left: one, right: other } = next
    const names = namesOf(one, other)
    if (names !== null) {
      for (const name of names.reverse()) {
        const place = Array.isArray(one) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`
        ahead.push({ path: place, left: part(one, name), right: part(other, name) })
      }
    } else if (JSON.stringify(one) === JSON.stringify(other)) same += 1
    else if (rows.length === mostRows) others += 1
    else rows.push({ path: path === '' ? 'the whole value' : path, left: shown(one), right: shown(other) })
  }
  return { rows, others, same }
}

/**
 * Returns the names of both values if they are lists or objects, otherwise null.
 *
 * @param {unknown} one
 * @param {unknown} other
 */
function namesOf(one, other) {
  const isParted = (/** @type {unknown} */ value) => typeof value === 'object' && value !== null
  if (!isParted(one) || !isParted(other) || Array.isArray(one) !== Array.isArray(other)) return null
  const names = [...new Set([...Object.keys(Object(one)), ...Object.keys(Object(other))])]
  return names.length === 0 ? null : names
}

/**
 * @param {unknown} value
 * @param {string} name
 */
function part(value, name) {
  return Object.hasOwn(Object(value), name) ? Object(value)[name] : undefined
}

/** @param {unknown} value */
function shown(value) {
  if (value === undefined) return null
  const text = JSON.stringify(value)
  return text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text
}

/**
 * The values of a step that can be compared, by name. The attempts say who made them, and how they ended.
 *
 * @param {Job} job
 * @param {Step} step
 * @returns {{ name: string, value: unknown }[]}
 */
export function comparable(job, { input, inputTemplate, output, previous, round, diagnostics, outcome }) {
  return [
    { name: 'Input of the step', value: input },
    { name: 'Input with references', value: inputTemplate },
    ...(round === null || previous === null
      ? []
      : [{ name: `Output of round ${round.number - 1}`, value: previous }]),
    { name: round === null ? 'Output' : `Output of round ${round.number}`, value: output },
    { name: 'Input of the job', value: job.input },
    ...diagnostics.map(({ attempt, ...rest }, index) => ({
      name: `Failure ${index + 1} (attempt ${attempt})`,
      value: { attempt, ...rest },
    })),
    ...(outcome === null ? [] : [{ name: 'Newest outcome', value: outcome }]),
  ]
}

/**
 * Returns the two values to compare first: two rounds, two failures, or the input and the output.
 *
 * @param {{ name: string }[]} values
 * @returns {readonly [string, string]}
 */
export function firstCompared(values) {
  const names = values.map(({ name }) => name)
  const rounds = names.filter((name) => name.startsWith('Output of round'))
  if (rounds.length === 2) return [rounds[0] ?? '', rounds[1] ?? '']
  const failures = names.filter((name) => name.startsWith('Failure')).slice(-2)
  if (failures.length === 2) return [failures[0] ?? '', failures[1] ?? '']
  return ['Input of the step', names.find((name) => name.startsWith('Output')) ?? '']
}
