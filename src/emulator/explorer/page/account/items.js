import { keyValuesOf, partitionKeyHeader } from './partition-keys.js'
import { keyPathsOf, segmentsOf } from './resources.js'

/**
 * @typedef {import('./account.js').Account} Account
 * @typedef {import('./resources.js').ContainerPlace} ContainerPlace
 * @typedef {{ readonly [name: string]: unknown }} Item
 */

/**
 * @param {Account} account
 * @param {ContainerPlace} place
 * @param {Item} item
 * @returns {Promise<Item>} the item as it is stored
 */
export async function createItem(account, place, item) {
  const segments = [...segmentsOf(place), 'docs']
  return (await account.call({ method: 'POST', segments, headers: keyHeader(place, item), body: item })).body
}

/**
 * Replaces an item, but only if it is still the one that was read.
 *
 * @param {Account} account
 * @param {ContainerPlace} place
 * @param {Item} read
 * @param {Item} item
 * @returns {Promise<Item>} the item as it is stored
 */
export async function replaceItem(account, place, read, item) {
  return (await account.call({ method: 'PUT', ...unchanged(place, read), body: item })).body
}

/**
 * Deletes an item, but only if it is still the one that was read.
 *
 * @param {Account} account
 * @param {ContainerPlace} place
 * @param {Item} read
 */
export async function deleteItem(account, place, read) {
  await account.call({ method: 'DELETE', ...unchanged(place, read) })
}

/**
 * Reads the present version of an item.
 *
 * @param {Account} account
 * @param {ContainerPlace} place
 * @param {Item} read
 * @returns {Promise<Item>}
 */
export async function readItem(account, place, read) {
  return (await account.call({ segments: segmentsOfItem(place, read), headers: keyHeader(place, read) })).body
}

/**
 * @param {ContainerPlace} place
 * @param {Item} read
 */
function unchanged(place, read) {
  const headers = { ...keyHeader(place, read), 'if-match': String(read['_etag']) }
  return { segments: segmentsOfItem(place, read), headers }
}

/**
 * @param {ContainerPlace} place
 * @param {Item} item
 */
function segmentsOfItem(place, item) {
  return [...segmentsOf(place), 'docs', String(item['id'])]
}

/**
 * @param {ContainerPlace} place
 * @param {Item} item
 */
function keyHeader(place, item) {
  return { 'x-ms-documentdb-partitionkey': partitionKeyHeader(keyValuesOf(item, keyPathsOf(place))) }
}
