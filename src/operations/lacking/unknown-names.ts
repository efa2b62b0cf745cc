import { counted } from '../../platform/internal.js'
import { similarName } from '../../platform/options.js'
import type { JobClient, LimitView, SelectionFilter, UnknownName, Workflow } from '../../sas/index.js'
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
    const others = (await client.limits.list()).map((limit) => limit.key).filter((each) => each !== key)
    const similar = similarName(key, others)
    const meant = similar === undefined ? '.' : `, did you mean ${JSON.stringify(similar)}?`
    return `WARNING: ${unknownLimit(key)}${meant} ${effect}`
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
export function unknownText(what: string, name: string, known: readonly string[] = []): string {
  const found = what === 'agent' ? 'no running instance has agent' : 'there is no job of workflow'
  return `${found} ${JSON.stringify(name)} yet: ${advice(name, known)}`
}

/**
 * Returns warnings about names of a filter that selected nothing, because a misspelt name looks like a problem that is
 * solved. `definedBy` loads the workflows of a module, whose names are right although no job has them.
 */
export async function misspeltNames(
  client: Pick<JobClient, 'select'>,
  filter: Pick<SelectionFilter, 'workflow' | 'step'>,
  definedBy: () => readonly Workflow<unknown>[] | Promise<readonly Workflow<unknown>[]>,
): Promise<string[]> {
  try {
    const unknown = await client.select(filter).unknownNames()
    if (unknown.length === 0) return []
    const workflows = await definedBy()
    return unknown.flatMap((each) => warningAbout(each, workflows) ?? [])
  } catch {
    // The selection itself was read, so this error changes nothing.
    return []
  }
}

function warningAbout(
  { what, name, workflow, jobs, known }: UnknownName,
  workflows: readonly Workflow<unknown>[],
): string | null {
  if (what === 'workflow') {
    const defined = workflows.map((each) => each.name)
    return defined.includes(name) ? null : unknownText(what, name, [...known, ...defined])
  }
  const meant = workflows.filter((each) => workflow === null || each.name === workflow)
  const steps = meant.flatMap(({ plan }) => plan.steps.map(({ id }) => id))
  const names = [...new Set([...known, ...steps])]
  // Among jobs of all workflows, the step may be that of an older job.
  if (steps.includes(name) || (workflow === null && similarName(name, names) === undefined)) return null
  const among = jobs === 1 ? 'the newest job' : `the newest ${jobs} jobs`
  const ofWorkflow = workflow === null ? '' : ` of workflow ${JSON.stringify(workflow)}`
  const verb = jobs === 1 ? 'has' : 'have'
  return `${among}${ofWorkflow} ${verb} no step ${JSON.stringify(name)}: ${advice(name, names)}`
}

/** The most names that an advice lists. */
const mostNames = 10

function advice(name: string, known: readonly string[]): string {
  const similar = similarName(name, known)
  if (similar !== undefined) return `did you mean ${JSON.stringify(similar)}?`
  const first = known.slice(0, mostNames).map((each) => JSON.stringify(each))
  return first.length === 0 ? 'check the name' : `check the name; there is ${first.join(', ')}`
}
