/** The fields that a person fills in to answer a question, made from the JSON Schema of its form. */

/**
 * - `kind` is the kind of control. A schema that no simple control can show is answered as JSON text.
 * - `name` is the name of the property, or null if the field is the whole answer.
 * - `first` is the text that the control shows at first: the default of the schema, or nothing.
 *
 * @typedef {{ kind: 'text' | 'number' | 'boolean' | 'enum' | 'json', name: string | null, label: string,
 *   hint: string, isNeeded: boolean, choices: string[], first: string, isWhole: boolean,
 *   mayBeEmpty: boolean }} Field
 *
 * @typedef {Record<string, unknown>} Schema
 */

/** Keywords with which the properties alone do not say what fits. */
const others = ['$ref', 'anyOf', 'oneOf', 'allOf', 'patternProperties', 'propertyNames', 'enum', 'const']

/**
 * Returns the fields of a form.
 *
 * @param {unknown} form
 * @returns {Field[]}
 */
export function fieldsOf(form) {
  const schema = schemaOf(form)
  const { type, properties, required } = schema
  if (type !== 'object' || properties === undefined || others.some((word) => Object.hasOwn(schema, word)))
    return [fieldOf(schema, null, true)]
  const parts = Object.entries(schemaOf(properties))
  const needed = Array.isArray(required) ? required : []
  const isShown = parts.length > 0 && needed.every((name) => parts.some(([known]) => known === name))
  if (!isShown) return [fieldOf(schema, null, true)]
  return parts.map(([name, part]) => fieldOf(schemaOf(part), name, needed.includes(name)))
}

/**
 * @param {Schema} schema
 * @param {string | null} name
 * @param {boolean} isNeeded
 * @returns {Field}
 */
function fieldOf(schema, name, isNeeded) {
  const kind = kindOf(schema)
  const given = schema['default']
  return {
    kind,
    name,
    label: textOf(schema['title']) || (name ?? 'Answer'),
    hint: [textOf(schema['description']), ...limitsOf(schema)].filter((text) => text !== '').join('; '),
    isNeeded,
    choices: kind === 'enum' ? choicesOf(schema) : [],
    first: given === undefined ? '' : kind === 'text' ? textOf(given) : JSON.stringify(given),
    isWhole: schema['type'] === 'integer',
    mayBeEmpty: kind === 'text' && name !== null && !Object.hasOwn(schema, 'minLength'),
  }
}

/**
 * @param {Schema} schema
 * @returns {Field['kind']}
 */
function kindOf(schema) {
  const { type } = schema
  if (Array.isArray(schema['enum']) || Object.hasOwn(schema, 'const')) return 'enum'
  if (['$ref', 'anyOf', 'oneOf', 'allOf'].some((word) => Object.hasOwn(schema, word))) return 'json'
  if (type === 'string') return 'text'
  if (type === 'number' || type === 'integer') return 'number'
  return type === 'boolean' ? 'boolean' : 'json'
}

/**
 * Returns the values that a person can choose, as JSON.
 *
 * @param {Schema} schema
 */
function choicesOf(schema) {
  const values = Array.isArray(schema['enum']) ? schema['enum'] : [schema['const']]
  return values.map((value) => JSON.stringify(value))
}

/** The keywords that a person must know, with the words that tell them. */
const limits = /** @type {const} */ ([
  ['minimum', 'at least'],
  ['exclusiveMinimum', 'more than'],
  ['maximum', 'at most'],
  ['exclusiveMaximum', 'less than'],
  ['minLength', 'characters, at least'],
  ['maxLength', 'characters, at most'],
  ['pattern', 'like'],
  ['format', 'as'],
])

/** The limits of every number that a program can keep exactly. They say nothing to a person. */
const unsaid = [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]

/**
 * @param {Schema} schema
 * @returns {string[]}
 */
function limitsOf(schema) {
  // A format has a pattern too, which is long.
  const known = limits.filter(([word]) => word !== 'pattern' || schema['format'] === undefined)
  return known.flatMap(([word, text]) => {
    const value = schema[word]
    const isSaid = typeof value === 'string' || (typeof value === 'number' && !unsaid.includes(value))
    return isSaid ? [`${text} ${value}`] : []
  })
}

/**
 * Returns the answer, or what is missing. An optional field that is empty is left out.
 *
 * @param {Field[]} fields
 * @param {string[]} texts the text of each field
 * @returns {{ answer: unknown, problem: string }}
 */
export function answerOf(fields, texts) {
  /** @type {[string, unknown][]} */
  const entries = []
  for (const [index, field] of fields.entries()) {
    const { value, problem } = valueOf(field, texts[index] ?? '')
    if (problem !== '') return { answer: null, problem }
    if (field.name === null) return { answer: value, problem: '' }
    if (value !== undefined) entries.push([field.name, value])
  }
  return { answer: Object.fromEntries(entries), problem: '' }
}

/**
 * @param {Field} field
 * @param {string} text
 * @returns {{ value: unknown, problem: string }}
 */
function valueOf({ name, kind, label, isNeeded, isWhole, mayBeEmpty }, text) {
  if (kind === 'text' ? text === '' : text.trim() === '') {
    if (!isNeeded) return { value: undefined, problem: '' }
    return mayBeEmpty
      ? { value: '', problem: '' }
      : { value: null, problem: name === null ? 'Give the answer.' : `Give ${label}.` }
  }
  if (kind === 'text') return { value: text, problem: '' }
  if (kind === 'number') {
    const number = Number(text)
    if (!Number.isFinite(number)) return { value: null, problem: `${label} is not a number.` }
    if (isWhole && !Number.isInteger(number))
      return { value: null, problem: `${label} is not a whole number.` }
    return { value: number, problem: '' }
  }
  try {
    return { value: /** @type {unknown} */ (JSON.parse(text)), problem: '' }
  } catch {
    return { value: null, problem: `${label} is not JSON.` }
  }
}

/**
 * @param {unknown} value
 * @returns {Schema}
 */
function schemaOf(value) {
  return typeof value === 'object' && value !== null ? /** @type {Schema} */ (value) : {}
}

/** @param {unknown} value */
function textOf(value) {
  return typeof value === 'string' ? value : ''
}
