import type { Workflow } from '../../sas/index.js'
import { beginningInPartitions, calledOperations, jobKeyPrefix, limitText } from '../../sas/internal.js'

type Workflows = readonly Workflow<unknown>[]

/** Where the workflows of a module have a limit of a key: in all partitions together, in each partition, or nowhere. */
export type DefinedLimit = 'shared' | 'inPartitions' | 'nowhere'

export function definedLimit(key: string, workflows: Workflows): DefinedLimit {
  const defined = workflows.flatMap(({ plan }) => [
    ...(plan.limits ?? []).map((limit) => ({ ...limit, text: `${jobKeyPrefix}${limitText(limit)}` })),
    ...plan.steps.flatMap((step) =>
      (step.limits ?? []).map((limit) => ({ ...limit, text: limitText(limit) })),
    ),
  ])
  const ofKey = defined.filter(({ text }) => text === key)
  if (ofKey.length === 0) return 'nowhere'
  return ofKey.some(({ perPartition }) => perPartition !== true) ? 'shared' : 'inPartitions'
}

/** Says why a decision on a key changes nothing if each partition has a limit of its own. */
export function onlyInPartitions(key: string): string {
  return (
    `each partition has a limit ${JSON.stringify(key)} of its own, so the key alone would change nothing: name ` +
    `the limit of one partition, as in ${JSON.stringify(`${beginningInPartitions(key)}PARTITION-KEY`)}; ` +
    'to stop the work of all partitions, pause the agent or the workflow'
  )
}

/** Checks whether a module defines a workflow of this name, or has a workflow that calls an agent of this name. */
export function isDefinedName(
  workflows: Workflows,
  { what, name }: { readonly what: string; readonly name: string },
): boolean {
  if (what === 'workflow') return workflows.some((workflow) => workflow.name === name)
  return (
    what === 'agent' &&
    workflows.some(({ plan }) => calledOperations(plan).some(({ actor }) => actor === name))
  )
}
