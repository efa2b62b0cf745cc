/**
 * Returns the names and values of query metrics, such as `outputDocumentCount=3;writeOutputTimeInMs=0.10`.
 *
 * @param {string} metrics
 * @returns {readonly (readonly [string, string])[]}
 */
export function metricsIn(metrics) {
  return metrics
    .split(';')
    .filter((part) => part.includes('='))
    .map((part) => [part.slice(0, part.indexOf('=')).trim(), part.slice(part.indexOf('=') + 1).trim()])
}

/**
 * An index that a query used, or that would help it.
 *
 * @typedef {object} IndexFact
 * @property {'used' | 'advised'} kind
 * @property {string} paths
 * @property {string} impact such as `High`; empty if the account does not say
 */

/**
 * Reads the header about indexes, in each of its forms: JSON, percent-encoded JSON, or JSON in base64.
 * Returns null if it has another form.
 *
 * @param {string} header
 * @returns {readonly IndexFact[] | null}
 */
export function indexFactsIn(header) {
  const parsed = [header, decoded(header), fromBase64(header)].map(parsedObject).find((one) => one !== null)
  if (parsed === undefined) return null
  return Object.entries(parsed).flatMap(([name, group]) => factsOf(name, group))
}

/**
 * @param {string} name such as `UtilizedSingleIndexes`, or `Potential` with groups inside
 * @param {any} group
 * @returns {readonly IndexFact[]}
 */
function factsOf(name, group) {
  const kind = /^utilized/iu.test(name) ? 'used' : 'advised'
  const found = Array.isArray(group) ? group : Object.values(group ?? {}).flat()
  return found.map((index) => ({ kind, paths: pathsOf(index), impact: String(index.IndexImpactScore ?? '') }))
}

/** @param {any} index */
function pathsOf(index) {
  const { IndexSpec, IndexDocumentExpression, IndexSpecs, IndexDocumentExpressions } = index
  return [IndexSpec ?? IndexDocumentExpression ?? IndexSpecs ?? IndexDocumentExpressions ?? []]
    .flat()
    .join(', ')
}

/**
 * @param {string} text
 * @returns {Record<string, unknown> | null}
 */
function parsedObject(text) {
  try {
    const parsed = JSON.parse(text)
    return typeof parsed === 'object' ? parsed : null
  } catch {
    return null
  }
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

/** @param {string} text */
function fromBase64(text) {
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
    return new TextDecoder().decode(bytes)
  } catch {
    return ''
  }
}
