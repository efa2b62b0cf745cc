/**
 * @typedef {import('./account.js').Account} Account
 * @typedef {{ readonly [name: string]: unknown }} FaultOptions
 * @typedef {{ readonly id: string, readonly fired: number, readonly options: FaultOptions }} Fault
 */

const segments = ['_stepward', 'faults']

/**
 * @param {Account} account
 * @returns {Promise<readonly Fault[]>}
 */
export async function readFaults(account) {
  const { body } = await account.call({ segments })
  return body.Faults.map((/** @type {any} */ { id, fired, ...options }) => ({ id, fired, options }))
}

/**
 * @param {Account} account
 * @param {FaultOptions} options
 */
export async function addFault(account, options) {
  await account.call({ method: 'POST', segments, body: options })
}

/**
 * @param {Account} account
 * @param {string} id
 */
export async function removeFault(account, id) {
  await account.call({ method: 'DELETE', segments, search: `?id=${encodeURIComponent(id)}` })
}
