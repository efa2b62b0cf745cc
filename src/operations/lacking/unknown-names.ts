import { counted } from '../../platform/internal.js'
import type { JobClient, LimitView } from '../../sas/index.js'
import { runningAgents } from '../leases.js'
import type { UnitSelection } from '../unit-selection.js'

/** Returns the advice about a key that may be misspelt. */
export function unknownLimit(key: string): string {
  return `no step or job has come to limit ${JSON.stringify(key)} today: "stepward limits" lists the limits`
}

/**
 * Returns what an operator should know about a decision on this key, or null. `known` is the limit before the decision.
 *
 * @throws StoreUnavailable if the store could not be reached
 */
export async function limitNote(
  client: JobClient,
  key: string,
  known: LimitView | null,
): Promise<string | null> {
  if (known === null) {
    const effect =
      'If the key is misspelt, or each partition has a limit of its own (perPartition), nothing is held back'
    return `WARNING: ${unknownLimit(key)}. ${effect}`
  }
  const keys = await client.limits.inPartitions(key)
  const [first] = keys
  if (first === undefined) return null
  const others = counted(keys.length, 'limit of one partition has', 'limits of single partitions have')
  return `WARNING: ${others} this key too and did not change, such as ${JSON.stringify(first)}`
}

/** Checks whether a workflow has no job, or an agent is in no running instance, so that its name may be wrong. */
export async function isUnknownName(
  client: JobClient,
  settings: UnitSelection,
  { what, name }: { readonly what: string; readonly name: string },
): Promise<boolean> {
  if (what === 'workflow') return (await client.list({ workflow: name, limit: 1 })).length === 0
  return what === 'agent' && (await runningAgents(settings))?.has(name) === false
}

/** Returns the advice about a workflow or an agent whose name may be misspelt. */
export function unknownText(what: string, name: string): string {
  const found = what === 'agent' ? 'no running instance has agent' : 'there is no job of workflow'
  return `${found} ${JSON.stringify(name)} yet: check the name`
}
