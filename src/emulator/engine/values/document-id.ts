import { limits } from './limits.js'
import { badRequest } from './refusal.js'

/** Returns the id if it is valid. Otherwise throws a `Refusal`, in which `what` names the resource. */
export function assertId(id: unknown, what: string): string {
  if (typeof id !== 'string' || id === '') {
    throw badRequest(`The id of a ${what} must be a text of at least one character; it is ${shown(id)}.`)
  }
  if (/[/\\?#]/u.test(id)) {
    throw badRequest(
      `The id ${shown(id)} of a ${what} contains one of / \\ ? #, which an id must not contain.`,
    )
  }
  if (id.endsWith(' ')) {
    throw badRequest(`The id ${shown(id)} of a ${what} ends with a space, which is not allowed.`)
  }
  if (Buffer.byteLength(id) > limits.idBytes) {
    throw badRequest(
      `The id of a ${what} has ${Buffer.byteLength(id)} bytes; the limit is ${limits.idBytes}.`,
    )
  }
  return id
}

/** Returns the id of a database or a container if it is valid. Otherwise throws a `Refusal`. */
export function assertName(id: unknown, what: string): string {
  const name = assertId(id, what)
  if (name.length <= limits.nameCharacters) return name
  throw badRequest(
    `The id of a ${what} has ${name.length} characters; the limit is ${limits.nameCharacters}.`,
  )
}

function shown(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value).slice(0, 60)
}
