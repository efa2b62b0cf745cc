/**
 * Returns the address of a view of a container within the page.
 *
 * @param {string} database
 * @param {string} container
 * @param {string} view
 */
export function linkTo(database, container, view) {
  return `#/${encodeURIComponent(database)}/${encodeURIComponent(container)}/${view}`
}

/**
 * Reads such an address. Returns null if it has another form.
 *
 * @param {string} hash
 * @returns {{ readonly database: string, readonly container: string, readonly view: string } | null}
 */
export function placeIn(hash) {
  const found = /^#\/([^/]+)\/([^/]+)(?:\/([a-z]+))?$/u.exec(hash)
  if (found === null) return null
  const [, database = '', container = '', view = 'items'] = found
  try {
    return { database: decodeURIComponent(database), container: decodeURIComponent(container), view }
  } catch {
    return null
  }
}
