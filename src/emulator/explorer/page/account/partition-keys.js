/**
 * Returns the property names in a path of a partition key, such as `a` and `b c` for `/a/"b c"`.
 *
 * @param {string} path
 */
export function namesIn(path) {
  return [...path.matchAll(/\/(?:"([^"]*)"|([^/]*))/gu)].map(([, quoted, plain]) => quoted ?? plain ?? '')
}

/**
 * Returns the values of an item's partition key. A missing value is undefined.
 *
 * @param {unknown} item
 * @param {readonly string[]} paths
 * @returns {readonly unknown[]}
 */
export function keyValuesOf(item, paths) {
  return paths.map((path) => namesIn(path).reduce(property, item))
}

/**
 * @param {any} value
 * @param {string} name
 */
function property(value, name) {
  const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, name)
  return isObject ? value[name] : undefined
}

/**
 * Returns the header with a partition key. The service writes a missing value as `{}`. A header has only
 * ASCII characters, so all others are escaped.
 *
 * @param {readonly unknown[]} values
 */
export function partitionKeyHeader(values) {
  const text = JSON.stringify(values.map((value) => (value === undefined ? {} : value)))
  return text.replace(/[^\x20-\x7e]/gu, escaped)
}

/** @param {string} character */
function escaped(character) {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}
