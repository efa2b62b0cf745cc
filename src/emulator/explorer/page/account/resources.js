/**
 * @typedef {import('./account.js').Account} Account
 * @typedef {{ readonly id: string, readonly [name: string]: unknown }} Resource
 */

/**
 * A container, by its names and its definition.
 *
 * @typedef {object} ContainerPlace
 * @property {string} database
 * @property {string} container
 * @property {any} definition
 */

/**
 * A physical range and the number of its documents.
 *
 * @typedef {{ readonly id: string, readonly min: string, readonly max: string, readonly documents: number }} Range
 */

/**
 * @param {ContainerPlace} place
 * @returns {readonly string[]}
 */
export function segmentsOf({ database, container }) {
  return ['dbs', database, 'colls', container]
}

/**
 * Returns the paths of the partition key.
 *
 * @param {ContainerPlace} place
 * @returns {readonly string[]}
 */
export function keyPathsOf({ definition }) {
  return definition.partitionKey?.paths ?? []
}

/**
 * Returns every database with its containers.
 *
 * @param {Account} account
 * @returns {Promise<readonly { readonly id: string, readonly containers: readonly Resource[] }[]>}
 */
export async function readTree(account) {
  const { body } = await account.call({ segments: ['dbs'] })
  return Promise.all(
    body.Databases.map(async (/** @type {Resource} */ { id }) => {
      const feed = await account.call({ segments: ['dbs', id, 'colls'] })
      return { id, containers: feed.body.DocumentCollections }
    }),
  )
}

/**
 * @param {Account} account
 * @param {string} id
 */
export async function createDatabase(account, id) {
  await account.call({ method: 'POST', segments: ['dbs'], body: { id } })
}

/**
 * @param {Account} account
 * @param {string} id
 */
export async function deleteDatabase(account, id) {
  await account.call({ method: 'DELETE', segments: ['dbs', id] })
}

/**
 * @param {Account} account
 * @param {string} database
 * @param {{ readonly id: string, readonly paths: readonly string[] }} wanted
 */
export async function createContainer(account, database, { id, paths }) {
  const kind = paths.length > 1 ? 'MultiHash' : 'Hash'
  const body = { id, partitionKey: { paths, kind, version: 2 } }
  await account.call({ method: 'POST', segments: ['dbs', database, 'colls'], body })
}

/**
 * @param {Account} account
 * @param {ContainerPlace} place
 */
export async function deleteContainer(account, place) {
  await account.call({ method: 'DELETE', segments: segmentsOf(place) })
}

/**
 * @param {Account} account
 * @param {ContainerPlace} place
 * @returns {Promise<readonly Range[]>}
 */
export function readRanges(account, place) {
  return rangesAfter(account, 'ranges', place)
}

/**
 * @param {Account} account
 * @param {ContainerPlace} place
 * @param {string} rangeId
 */
export function splitRange(account, place, rangeId) {
  return rangesAfter(account, 'split', place, { rangeId })
}

/**
 * @param {Account} account
 * @param {ContainerPlace} place
 * @param {readonly [string, string]} rangeIds two neighbours
 */
export function mergeRanges(account, place, rangeIds) {
  return rangesAfter(account, 'merge', place, { rangeIds })
}

/**
 * Calls one of the operations that Cosmos DB itself does not have.
 *
 * @param {Account} account
 * @param {string} operation
 * @param {ContainerPlace} place
 * @param {object} [more]
 */
async function rangesAfter(account, operation, { database, container }, more = {}) {
  const segments = ['_stepward', operation]
  const { body } = await account.call({ method: 'POST', segments, body: { database, container, ...more } })
  return body.ranges
}
