/** The words for a change, and the instance or person who made it, if the documents tell. */
export interface Told {
  readonly what: readonly string[]
  readonly by: string | null
}

/** The most characters of a message, and the most names of fields, that one change shows. */
const mostCharacters = 500
const mostFields = 12

/** Returns a message of others in quotation marks, cut if it is long. */
export function quoted(message: string): string {
  const text = message.length > mostCharacters ? `${message.slice(0, mostCharacters)}…` : message
  return `“${text}”`
}

/** Returns a time as text, to the second. */
export function timeText(at: string | number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')}Z`
}

/** Checks whether a part of two versions differs. */
export function differs(before: unknown, after: unknown): boolean {
  return JSON.stringify(before) !== JSON.stringify(after)
}

/** Returns the entries that a list has gained. Lists of documents grow at their end and are cut at their beginning. */
export function gained<T>(before: readonly T[] | undefined, after: readonly T[]): readonly T[] {
  const known = new Set((before ?? []).map((one) => JSON.stringify(one)))
  return after.filter((one) => !known.has(JSON.stringify(one)))
}

/** Names the fields in which two versions differ, for a change that has no other words. */
export function otherFields(before: object, after: object): string {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !name.startsWith('_') && differs(Reflect.get(before, name), Reflect.get(after, name)),
  )
  if (names.length === 0) return 'written again without a change'
  const more = names.length > mostFields ? ` and ${names.length - mostFields} more` : ''
  return `only fields of the roles changed: ${names.slice(0, mostFields).join(', ')}${more}`
}

/**
 * Writes characters that change the direction of text as escapes. A name or a reason with such a character would
 * turn the rest of the sentence around.
 */
export function withVisibleDirections(sentence: string): string {
  return sentence.replace(
    /[\u202a-\u202e\u2066-\u2069]/gu,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
