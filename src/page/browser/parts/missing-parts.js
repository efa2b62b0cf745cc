/**
 * Says what a dialog still needs, or returns an empty text.
 *
 * @param {{ needsWhy: boolean, why: string, hasInput: boolean, input: string,
 *   more?: { label: string, value: string, isJson?: boolean }[] }} parts
 * @returns {string}
 */
export function whatIsMissing({ needsWhy, why, hasInput, input, more = [] }) {
  if (hasInput && input.trim() !== '' && !isJson(input)) return 'The input is not JSON.'
  const wrong = more.find((field) => field.isJson === true && !isJson(field.value))
  if (wrong !== undefined) return `This is not JSON: ${wrong.label.replace(/,.*/u, '').toLowerCase()}.`
  return needsWhy && why.trim() === '' ? 'Give the reason.' : ''
}

/**
 * Checks whether a text is JSON.
 *
 * @param {string} text
 */
export function isJson(text) {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
