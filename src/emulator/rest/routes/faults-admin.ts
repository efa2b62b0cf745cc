import { badRequest } from '../../engine/index.js'
import { faultProblems, type Fault, type Faults } from '../../faults/index.js'
import type { Answer, RestRequest } from '../../messages/rest-message.js'
import { bodyObject } from './context.js'

/**
 * Answers `/_stepward/faults`. Requests are signed with the master key, for the resource type `_stepward` and
 * the link `_stepward/faults`. POST adds a fault, with the options as JSON. GET lists all faults. DELETE
 * removes the fault with the id in `?id=`, or all faults if no id is given.
 */
export function routeFaults(request: RestRequest, faults: Faults): Answer | undefined {
  switch (request.method) {
    case 'POST': {
      const options = bodyObject(request)
      const problems = faultProblems(options)
      if (problems.length > 0) throw badRequest(`The fault cannot be added: ${problems.join('; ')}.`)
      return { status: 201, body: JSON.stringify(shown(faults.add(options))), charge: 0 }
    }
    case 'GET':
      return { status: 200, body: JSON.stringify({ Faults: faults.list().map(shown) }), charge: 0 }
    case 'DELETE': {
      const id = new URLSearchParams(request.path.split('?')[1] ?? '').get('id')
      if (id === null) faults.clear()
      else faults.remove(id)
      return { status: 204, charge: 0 }
    }
    default:
      return undefined
  }
}

/** Returns a fault as JSON. A predicate cannot be written as JSON, so it is only mentioned. */
function shown({ id, options, fired }: Fault): Readonly<Record<string, unknown>> {
  const match = typeof options.match === 'function' ? 'a predicate' : options.match
  return { id, ...options, match, fired }
}
