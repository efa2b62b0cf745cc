/** @typedef {import('../account/faults.js').FaultOptions} FaultOptions */

/**
 * The faults that are in the list from the beginning.
 *
 * @type {readonly FaultOptions[]}
 */
export const commonFaults = [
  { status: 429 },
  { status: 503, probability: 0.1 },
  { reset: true, afterApply: true, probability: 0.1 },
  { delay: 1_000 },
]

/** The operations that a fault may disturb. */
export const operations = [
  ...['create', 'upsert', 'read', 'replace', 'delete', 'patch', 'batch', 'bulk', 'query', 'queryPlan'],
  ...['readFeed', 'changeFeed', 'pkranges', 'container', 'database', 'offer', 'account'],
]

/** The effects that a fault may have, by their names in the form. */
export const effects = {
  'status 429 (too many requests)': { status: 429 },
  'status 503 (unavailable)': { status: 503 },
  'status 408 (timeout)': { status: 408 },
  'status 410 (gone)': { status: 410 },
  'status 449 (retry with)': { status: 449 },
  'the connection is cut': { reset: true },
  'a delay of 1 second': { delay: 1_000 },
  'a delay of 5 seconds': { delay: 5_000 },
}

/**
 * Describes a fault in a sentence.
 *
 * @param {FaultOptions} options
 */
export function faultText({ match, status, reset, delay, afterApply, probability, times }) {
  const steps = [
    delay === undefined ? '' : `a delay of ${typeof delay === 'number' ? `${delay} ms` : plain(delay)}`,
    status === undefined ? '' : `status ${plain(status)}`,
    reset === true ? 'the connection is cut' : '',
  ].filter((step) => step !== '')
  const share = typeof probability === 'number' ? `${Math.round(probability * 1_000) / 10} % of ` : ''
  const limit = typeof times === 'number' ? `, at most ${times} times` : ''
  const after = afterApply === true ? ', after the request was carried out' : ''
  const subject = `${share}${matchText(match)}`
  return `${subject.charAt(0).toUpperCase()}${subject.slice(1)}: ${steps.join(', then ')}${after}${limit}`
}

/** @param {any} match */
function matchText(match) {
  if (match === undefined) return 'all requests'
  if (typeof match === 'string') return `requests that match ${match}`
  const parts = Object.entries(match).map(
    ([name, value]) => `${name} ${[value].flat().map(plain).join(' or ')}`,
  )
  return `requests with ${parts.join(', ')}`
}

/** @param {unknown} value */
function plain(value) {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
