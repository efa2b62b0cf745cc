import { limits } from './limits.js'
import { badRequest } from './refusal.js'

/**
 * Returns the id of a document if it is valid. Otherwise throws a `Refusal`. The service accepts `/` and `#`
 * in an id, but its gateway cannot read such a document again.
 */
export function assertId(id: unknown, what = 'document'): string {
  if (typeof id !== 'string' || id === '') {
    throw badRequest(`The id of a ${what} must be a text of at least one character; it is ${shown(id)}.`)
  }
  if (/[/\\#]/u.test(id)) throw invalidCharacter(id, '/ \\ #', what)
  if (Buffer.byteLength(id) > limits.idBytes) {
    throw badRequest(
      `The id of a ${what} has ${Buffer.byteLength(id)} bytes; the limit is ${limits.idBytes}.`,
    )
  }
  return id
}

function invalidCharacter(id: string, characters: string, what: string): Error {
  return badRequest(
    `The resource name presented contains invalid character: the id ${shown(id)} of a ${what} must not ` +
      `contain any of ${characters}.`,
  )
}

/** Returns the id of a database or a container if it is valid. Otherwise throws a `Refusal`. */
export function assertName(id: unknown, what: string): string {
  const name = assertId(id, what)
  if (name.includes('?')) throw invalidCharacter(name, '/ \\ ? #', what)
  if (name.endsWith(' ')) {
    throw badRequest(`The resource name can't end with space: the id ${shown(name)} of a ${what} does.`)
  }
  if (name.length <= limits.nameCharacters) return name
  throw badRequest(
    `The id of a ${what} has ${name.length} characters; the limit is ${limits.nameCharacters}.`,
  )
}

function shown(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value).slice(0, 60)
}
