import { isDeepStrictEqual } from 'node:util'
import { isJsonObject, type JsonObject } from '../values/json.js'
import { badRequest } from '../values/refusal.js'

const defaultPolicy: JsonObject = {
  mode: 'LastWriterWins',
  conflictResolutionPath: '/_ts',
  conflictResolutionProcedure: '',
}

const modes = ['LastWriterWins', 'Custom']

/**
 * Returns the checked policy, or the service's default. The policy is only stored, because writes never
 * conflict in an account with one region.
 */
export function parseConflictResolution(policy: unknown): JsonObject {
  if (policy === undefined || policy === null) return defaultPolicy
  const mode = isJsonObject(policy) ? policy['mode'] : undefined
  if (isJsonObject(policy) && (mode === undefined || modes.some((known) => known === mode))) return policy
  throw badRequest(
    `The mode of a conflictResolutionPolicy is ${JSON.stringify(mode)}; it must be one of ${modes.join(', ')}.`,
  )
}

/** Refuses a conflict resolution policy that differs from the container's own. */
export function assertConflictResolutionKept(current: JsonObject, next: JsonObject): void {
  const [before, after] = [current, next].map((body) => body['conflictResolutionPolicy'])
  if (isDeepStrictEqual(filledIn(before), filledIn(after))) return
  throw badRequest(
    'The conflictResolutionPolicy of a container cannot be changed. Send it as it is, or create another container.',
  )
}

/** Returns the settings that are not empty. The Go client sends a policy back without empty settings. */
function filledIn(policy: unknown): readonly (readonly [string, unknown])[] {
  if (!isJsonObject(policy)) return []
  return Object.entries(policy)
    .filter(([, value]) => value !== '' && value !== null)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
}
