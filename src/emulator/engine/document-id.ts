import { limits } from './limits.js'
import { badRequest } from './refusal.js'

/** Refuses what cannot be an id. `what` names the resource in the message. */
export function assertId(id: unknown, what: string): string {
  if (typeof id !== 'string' || id === '') {
    throw badRequest(`The id of a ${what} must be a text of at least one character; it is ${shown(id)}.`)
  }
  if (/[/\\?#]/u.test(id)) {
    throw badRequest(`The id ${shown(id)} of a ${what} has one of / \\ ? #, which an id must not have.`)
  }
  if (Buffer.byteLength(id) > limits.idBytes) {
    throw badRequest(
      `The id of a ${what} has ${Buffer.byteLength(id)} bytes; the limit is ${limits.idBytes}.`,
    )
  }
  return id
}

function shown(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value).slice(0, 60)
}
