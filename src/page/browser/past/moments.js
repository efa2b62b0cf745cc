/** What the pages of a history tell. No function here reads the page. */

/**
 * @typedef {{ document: string, stepId: string | null, kind: 'created' | 'changed' | 'deleted', what: string[] }} Change
 *
 * @typedef {{ moment: string | null, at: string, by: string | null, changes: Change[] }} Moment
 *
 * @typedef {{ source: 'versions' | 'record', note: string | null, moments: Moment[], next: string | null,
 *   charge: number }} HistoryPage
 *
 * @typedef {Change & { before: object | null, after: object | null }} MomentDocument
 *
 * @typedef {{ moment: string, at: string, by: string | null, documents: MomentDocument[], charge: number }} Documents
 *
 * A document as it stood at a moment, and the moment that wrote this version.
 *
 * @typedef {{ document: string, stepId: string | null, moment: string, isChanged: boolean, isDeleted: boolean }} Standing
 */

/** The number of moments that are listed at once. More would make a page of a long history slow. */
export const listedAtOnce = 50

/**
 * Returns the documents that exist at a moment, each with the moment of its version. Documents that were not
 * changed since the beginning of the history are not known.
 *
 * @param {readonly Moment[]} moments
 * @param {number} index
 * @returns {Standing[]}
 */
export function documentsAt(moments, index) {
  /** @type {Map<string, Standing>} */
  const known = new Map()
  for (const [place, { moment, changes }] of moments.slice(0, index + 1).entries()) {
    for (const { document, stepId, kind } of changes) {
      const isChanged = place === index
      if (moment === null || (kind === 'deleted' && !isChanged)) known.delete(document)
      else known.set(document, { document, stepId, moment, isChanged, isDeleted: kind === 'deleted' })
    }
  }
  const order = (/** @type {Standing} */ one) => Number(!one.isChanged) * 2 + Number(one.stepId !== null)
  return [...known.values()].sort((one, other) => order(one) - order(other))
}

/**
 * Returns the first moment of the part of the list that contains a moment.
 *
 * @param {number} index
 */
export function partOf(index) {
  return Math.floor(Math.max(0, index) / listedAtOnce) * listedAtOnce
}

/**
 * Returns the position after which newer changes are read, or null if the history is not one of versions.
 *
 * @param {readonly HistoryPage[]} pages
 */
export function newestPosition(pages) {
  const last = pages.at(-1)
  if (last === undefined || last.source === 'record') return last?.next ?? null
  return last.next ?? pages.flatMap(({ moments }) => moments).at(-1)?.moment ?? null
}

/**
 * Names a document for people.
 *
 * @param {{ stepId: string | null }} document
 */
export function nameOf({ stepId }) {
  return stepId === null ? 'the job' : `step ${stepId}`
}
