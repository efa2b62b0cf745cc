/** @typedef {import('../account/faults.js').FaultOptions} FaultOptions */

/**
 * The faults that the page offers at once.
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
  'answers 429 (too many requests)': { status: 429 },
  'answers 503 (unavailable)': { status: 503 },
  'answers 408 (timeout)': { status: 408 },
  'answers 410 (gone)': { status: 410 },
  'answers 449 (retry with)': { status: 449 },
  'cuts the connection': { reset: true },
  'waits 1 second': { delay: 1_000 },
  'waits 5 seconds': { delay: 5_000 },
}

/**
 * Describes a fault in a sentence.
 *
 * @param {FaultOptions} options
 */
export function faultText({ match, status, reset, delay, afterApply, probability, times }) {
  const steps = [
    delay === undefined ? '' : `waits ${typeof delay === 'number' ? `${delay} ms` : plain(delay)}`,
    status === undefined ? '' : `answers ${plain(status)}`,
    reset === true ? 'cuts the connection' : '',
  ].filter((step) => step !== '')
  const often = typeof probability === 'number' ? `, for ${Math.round(probability * 1_000) / 10} %` : ''
  const limit = typeof times === 'number' ? `, at most ${times} times` : ''
  const after = afterApply === true ? ', after the request was carried out' : ''
  return `${matchText(match)}: ${steps.join(' and ')}${after}${often}${limit}`
}

/** @param {any} match */
function matchText(match) {
  if (match === undefined) return 'Every request'
  if (typeof match === 'string') return `Requests that match ${match}`
  const parts = Object.entries(match).map(
    ([name, value]) => `${name} ${[value].flat().map(plain).join(' or ')}`,
  )
  return `Requests with ${parts.join(', ')}`
}

/** @param {unknown} value */
function plain(value) {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
