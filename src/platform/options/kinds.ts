import type { z } from 'zod'
import { lengthMs } from './duration.js'
import { isObject, kind, shown } from './read-options.js'

/** Returns the kind of a whole number within bounds. */
export function wholeNumber(min: number, max = Number.POSITIVE_INFINITY): z.ZodType<number> {
  const rule = max === Number.POSITIVE_INFINITY ? `from ${min}` : `from ${min} to ${max}`
  const isIt = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= min
  return kind(`a whole number ${rule}`, (value) => isIt(value) && Number(value) <= max)
}

/**
 * Returns the kind of a duration from `minMs` to 100 years, which is read as milliseconds. `orElse` describes
 * other permitted values.
 */
export function duration(minMs = 1, orElse = ''): z.ZodType<number> {
  const rule = `a duration from ${minMs} ms to 100 years, such as 30000 or '30s'${orElse}`
  const isIt = (value: unknown): boolean => (lengthMs(value) ?? -1) >= minMs
  return kind<unknown>(rule, isIt).transform((value) => lengthMs(value) ?? minMs)
}

/** Returns the kind of a string that is not empty and has at most `most` characters. Default: no limit. */
export function text(most = Number.POSITIVE_INFINITY): z.ZodType<string> {
  if (most === Number.POSITIVE_INFINITY) return kind('a string that is not empty', isText)
  const rule = `a string that is not empty, of at most ${most.toLocaleString('en-US')} characters`
  return kind(rule, (value) => isText(value) && value.length <= most, shownShort)
}

/** The most characters of a string that a problem shows. */
const mostShown = 60

/** Describes a value. Of a long string, shows the beginning and the length. */
function shownShort(value: unknown): string {
  if (typeof value !== 'string' || value.length <= mostShown) return shown(value)
  const length = value.length.toLocaleString('en-US')
  return `${JSON.stringify(`${value.slice(0, mostShown)}…`)} with ${length} characters`
}

/** Returns the kind of a string that passes the check `isIt`. `rule` describes the check in words. */
export function textThat(rule: string, isIt: (text: string) => boolean): z.ZodType<string> {
  return kind(rule, (value) => typeof value === 'string' && isIt(value))
}

/**
 * Returns the kind of a secret string that passes the check `isIt`. Messages about problems do not show the
 * string.
 */
export function secretThat(rule: string, isIt: (text: string) => boolean): z.ZodType<string> {
  return kind(
    rule,
    (value) => typeof value === 'string' && isIt(value),
    () => 'of another form (its value is not shown)',
  )
}

/** Returns the kind of an option whose value is one of these strings. */
export function oneOf<const T extends string>(...known: readonly T[]): z.ZodType<T> {
  const names = known.map((each) => JSON.stringify(each))
  const rule = names.length > 1 ? `${names.slice(0, -1).join(', ')} or ${names.at(-1) ?? ''}` : names.join()
  return kind(rule, (value) => known.some((each) => each === value))
}

export function flag(): z.ZodType<boolean> {
  return kind('true or false', (value) => typeof value === 'boolean')
}

export function date(): z.ZodType<Date> {
  return kind('a valid Date', (value) => value instanceof Date && !Number.isNaN(value.getTime()))
}

export function callback<T>(rule = 'a function'): z.ZodType<T> {
  return kind(rule, (value) => typeof value === 'function')
}

/** Returns the kind of an object with these methods. The other members of the object are not checked. */
export function having<T>(rule: string, ...methods: readonly string[]): z.ZodType<T> {
  return kind(rule, (value) => hasMethods(value, ...methods))
}

export function hasMethods(value: unknown, ...methods: readonly string[]): boolean {
  return isObject(value) && methods.every((method) => typeof Reflect.get(value, method) === 'function')
}

/** Checks whether a value is a string that has at least one visible character. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}
