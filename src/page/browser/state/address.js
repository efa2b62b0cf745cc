import { signal } from '@preact/signals'

/** @typedef {{ path: string, query: URLSearchParams }} Address */

/** @returns {Address} */
function present() {
  return { path: location.pathname, query: new URLSearchParams(location.search) }
}

/** The address of the view, which a link can save. */
export const address = signal(present())

addEventListener('popstate', () => {
  address.value = present()
})

/**
 * Opens a view. `isReplaced` keeps no entry in the history of the browser.
 *
 * @param {string} to
 * @param {boolean} [isReplaced]
 */
export function open(to, isReplaced = false) {
  const isOtherView = new URL(to, location.href).pathname !== location.pathname
  if (isReplaced) history.replaceState(null, '', to)
  else history.pushState(null, '', to)
  address.value = present()
  if (isOtherView) scrollTo(0, 0)
}

/**
 * Returns an address with these parameters. Empty parameters are left out.
 *
 * @param {string} path
 * @param {Record<string, string | null | undefined>} [parameters]
 */
export function addressOf(path, parameters = {}) {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined || value === null || value === '' ? [] : [[name, value]],
  )
  const query = new URLSearchParams(given).toString()
  return query === '' ? path : `${path}?${query}`
}

/** @param {{ jobId: string, partitionKey?: string }} job */
export function jobAddress({ jobId, partitionKey }) {
  return addressOf('/job', { jobId, partitionKey: partitionKey === jobId ? null : partitionKey })
}
