/**
 * Says which field of a dialog is wrong, or returns an empty text.
 *
 * @param {{ hasInput: boolean, input: string, more: { label: string, value: string, isJson?: boolean }[] }} parts
 * @returns {string}
 */
export function whatIsWrong({ hasInput, input, more }) {
  if (hasInput && input.trim() !== '' && !isJson(input)) return 'The input is not JSON.'
  const wrong = more.find((field) => field.isJson === true && !isJson(field.value))
  return wrong === undefined ? '' : `This is not JSON: ${wrong.label.replace(/,.*/u, '').toLowerCase()}.`
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
