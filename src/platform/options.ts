/**
 * Reads the options of a function by their shape. `options/read-options.ts` contains the wording of all
 * problems, and `options/kinds.ts` contains the kinds of values. `options/duration.ts` and
 * `options/retry-option.ts` contain the kinds that are public types.
 */
export {
  callback,
  date,
  duration,
  flag,
  having,
  hasMethods,
  isText,
  oneOf,
  secretThat,
  text,
  textThat,
  wholeNumber,
} from './options/kinds.js'
export {
  asGiven,
  checkedOptions,
  chosen,
  group,
  isObject,
  kind,
  optional,
  readOptions,
  readPart,
  shown,
  similarName,
  type Read,
  type Shape,
  type Values,
} from './options/read-options.js'
export { durationRange, fixedOrRange, retryOption } from './options/retry-option.js'
