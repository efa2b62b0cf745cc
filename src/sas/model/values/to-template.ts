import type { Json } from './json.js'
import { isMadeCondition } from './made-conditions.js'
import { referencePath } from './reference.js'
import { StepHandle } from './step-handle.js'
import { TextTemplate } from './text-template.js'

/** More levels than any document may have. */
const mostLevels = 1_000

const tooDeep = `nested more than ${mostLevels} levels deep, or contains itself`

/** The largest number of characters that an error shows of the path to a value that is nested too deep. */
const mostShown = 60

/** The error for a value that cannot be part of a plan. */
export class NotPlainDataError extends Error {
  constructor(
    readonly where: string,
    readonly found: string,
    advice = 'a plan holds only JSON values and references',
  ) {
    super(`${where} is ${found}; ${advice}`)
  }
}

/**
 * Converts a value of a definition to plain JSON. References become `{ "$from": [...] }`, and so do texts with
 * references: `{ "$from": ["text", ...parts] }`. A user's object with the key `$from` or `$literal` is wrapped
 * in `{ "$literal": ... }`. Undefined properties are omitted, as in JSON.
 *
 * @throws NotPlainDataError for functions, symbols, class instances such as dates, numbers that JSON cannot represent, and values
 *   that are nested too deep
 */
export function toTemplate(value: unknown, where: string, levels = 0): Json {
  if (levels > mostLevels) throw new NotPlainDataError(`${where.slice(0, mostShown)}…`, tooDeep)
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new NotPlainDataError(where, String(value))
    return value
  }
  const path = referencePath(value)
  if (path !== null) return { $from: [...path] }
  if (value === undefined) throw new NotPlainDataError(where, 'undefined')
  if (typeof value !== 'object') throw new NotPlainDataError(where, `a ${typeof value}`)
  if (value instanceof TextTemplate) return textTemplate(value, where)
  if (value instanceof StepHandle) {
    const advice = 'write its output, as in step.output or step.output.id'
    throw new NotPlainDataError(where, `step ${JSON.stringify(value.id)} itself`, advice)
  }
  if (value instanceof Promise) {
    const advice = 'a definition only describes the steps, so it awaits nothing: pass the output of a step'
    throw new NotPlainDataError(where, 'a Promise', advice)
  }
  if (isMadeCondition(value)) {
    const advice =
      "a condition can only be tested, as in { when: condition.equal(job.input.kind, 'gift') }: pass the value itself, as in " +
      'job.input.kind'
    throw new NotPlainDataError(where, 'a condition', advice)
  }
  if (Array.isArray(value))
    return value.map((item, index) => toTemplate(item, `${where}[${index}]`, levels + 1))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) {
    throw new NotPlainDataError(where, `an instance of ${value.constructor.name}`)
  }
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .map(([key, item]): [string, Json] => [key, toTemplate(item, `${where}.${key}`, levels + 1)])
  const template = Object.fromEntries(entries)
  return '$from' in template || '$literal' in template ? { $literal: template } : template
}

function textTemplate({ parts }: TextTemplate, where: string): Json {
  return { $from: ['text', ...parts.map((part) => toTemplate(part, where))] }
}
