/**
 * Says what a dialog still needs, or returns an empty text.
 *
 * @param {{ needsWhy: boolean, why: string, hasInput: boolean, input: string }} parts
 * @returns {string}
 */
export function whatIsMissing({ needsWhy, why, hasInput, input }) {
  if (hasInput && input.trim() !== '') {
    try {
      JSON.parse(input)
    } catch {
      return 'The input is not JSON.'
    }
  }
  return needsWhy && why.trim() === '' ? 'Give the reason.' : ''
}
