import { AccountError } from './account.js'
import { segmentsOf } from './resources.js'

/**
 * @typedef {import('./account.js').Account} Account
 * @typedef {import('./resources.js').ContainerPlace} ContainerPlace
 */

/**
 * A physical range, and the ranges that it replaced.
 *
 * @typedef {{ readonly id: string, readonly parents: readonly string[] }} FeedRange
 */

/**
 * A change, as the page shows it.
 *
 * @typedef {object} Change
 * @property {string} rangeId
 * @property {string} operation such as `delete`; empty if the feed has only the latest versions
 * @property {number} atSeconds since the epoch
 * @property {any} item
 */

/** Reads the changes of all ranges of a container. Continues across splits and merges. */
export class FeedTail {
  /**
   * @param {Account} account
   * @param {ContainerPlace} place
   * @param {'now' | 'beginning' | Date} start
   */
  constructor(account, place, start) {
    this.account = account
    this.place = place
    this.hasVersions = start === 'now' && place.definition.changeFeedPolicy?.retentionDuration > 0
    this.mode = modeOf(this.hasVersions)
    this.start = startHeader(start)
    /** @type {ReadonlyMap<string, string>} the etag after the last page of each range */
    this.positions = new Map()
  }

  /**
   * Returns the next page of each range.
   *
   * @returns {Promise<readonly Change[]>}
   */
  async next() {
    const { body } = await this.account.call({ segments: [...segmentsOf(this.place), 'pkranges'] })
    this.positions = positionsOf(body.PartitionKeyRanges, this.positions)
    const ids = body.PartitionKeyRanges.map((/** @type {FeedRange} */ { id }) => id)
    const pages = await Promise.all(ids.map((/** @type {string} */ id) => this.pageOf(id)))
    return pages.flat()
  }

  /**
   * @param {string} rangeId
   * @returns {Promise<readonly Change[]>}
   */
  async pageOf(rangeId) {
    const position = this.positions.get(rangeId)
    const answer = await this.account
      .call({
        segments: [...segmentsOf(this.place), 'docs'],
        headers: {
          ...this.mode,
          ...(position === undefined ? this.start : { 'if-none-match': position }),
          'x-ms-documentdb-partitionkeyrangeid': rangeId,
        },
      })
      .catch(noneIfGone)
    if (answer === null) return []
    this.positions = new Map(this.positions).set(rangeId, answer.header('etag') ?? '')
    return (answer.body?.Documents ?? []).map((/** @type {any} */ found) =>
      this.hasVersions ? versionOf(rangeId, found) : latestOf(rangeId, found),
    )
  }
}

/**
 * Returns the positions of the present ranges. A new range continues at the earliest position of the ranges
 * that it replaced.
 *
 * @param {readonly FeedRange[]} ranges
 * @param {ReadonlyMap<string, string>} known
 * @returns {ReadonlyMap<string, string>}
 */
export function positionsOf(ranges, known) {
  const positions = new Map()
  for (const { id, parents } of ranges) {
    const inherited = parents.flatMap((parent) => known.get(parent) ?? [])
    const [position] = known.has(id) ? [known.get(id)] : inherited.sort((a, b) => lsnOf(a) - lsnOf(b))
    if (position !== undefined) positions.set(id, position)
  }
  return positions
}

/** @param {string} etag */
function lsnOf(etag) {
  return Number(etag.replaceAll('"', ''))
}

/**
 * Returns the headers for the mode of the feed. If the container keeps all versions and the feed starts now,
 * the feed has all versions and deletes. Such a feed cannot start earlier.
 *
 * @param {boolean} hasVersions
 * @returns {Record<string, string>}
 */
function modeOf(hasVersions) {
  return hasVersions
    ? { 'a-im': 'Full-Fidelity Feed', 'x-ms-cosmos-changefeed-wire-format-version': '2021-09-15' }
    : { 'a-im': 'Incremental Feed' }
}

/**
 * @param {'now' | 'beginning' | Date} start
 * @returns {Record<string, string>}
 */
function startHeader(start) {
  if (start === 'beginning') return {}
  return start === 'now' ? { 'if-none-match': '*' } : { 'if-modified-since': start.toUTCString() }
}

/**
 * Returns null if the range was split or merged meanwhile. The next read finds the new ranges.
 *
 * @param {unknown} error
 */
function noneIfGone(error) {
  if (error instanceof AccountError && error.status === 410) return null
  throw error
}

/**
 * @param {string} rangeId
 * @param {any} item which may have a property `metadata` of its own
 * @returns {Change}
 */
export function latestOf(rangeId, item) {
  return { rangeId, operation: '', atSeconds: item._ts, item }
}

/**
 * @param {string} rangeId
 * @param {any} found the versions of an item, with metadata
 * @returns {Change}
 */
export function versionOf(rangeId, { metadata, current, previous }) {
  const isDeleted = metadata.operationType === 'delete'
  const item = isDeleted ? (previous ?? { id: metadata.id }) : current
  return { rangeId, operation: metadata.operationType, atSeconds: metadata.crts, item }
}
