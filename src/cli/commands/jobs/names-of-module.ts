import { definedLimit, isDefinedName, misspeltNames, onlyInPartitions } from '../../../operations/index.js'
import type { JobClient, SelectionFilter, Workflow } from '../../../sas/index.js'
import { CliError, exitCodes } from '../../output/cli-error.js'
import { loadUserModule } from '../../input/user-module.js'
import type { Terminal } from '../../output/terminal.js'

/** The module that may define a name: from the option, or else from the configuration. */
export interface NamingModule {
  readonly option: string | undefined
  readonly configured: string | undefined
}

/**
 * Checks whether the workflows of a module share a limit of this key. Returns false if they do not, if no module is known,
 * or if the module of the configuration cannot be loaded, because an operator may be in a hurry.
 *
 * @throws CliError if the workflows have this limit only in each partition, or if the module of the option cannot be
 * loaded
 */
export async function isSharedLimit(key: string, module: NamingModule): Promise<boolean> {
  const defined = definedLimit(key, await workflowsOf(module))
  if (defined !== 'inPartitions') return defined === 'shared'
  throw new CliError(`${module.option ?? module.configured}: ${onlyInPartitions(key)}`, exitCodes.usage)
}

/** Checks whether the module defines a workflow of this name, or calls an agent of this name. */
export async function isNameOfModule(
  asked: { readonly what: string; readonly name: string },
  module: NamingModule,
): Promise<boolean> {
  return isDefinedName(await workflowsOf(module), asked)
}

/** The names by which jobs are selected, and the module of the configuration, which may define them. */
export interface SelectedBy {
  readonly filter: Pick<SelectionFilter, 'workflow' | 'step'>
  readonly configured: string | undefined
}

/** Returns warnings about names that may be misspelt, if a command has found nothing. */
export async function warningsIfEmpty(
  client: JobClient,
  found: number,
  { filter, configured }: SelectedBy,
): Promise<string[]> {
  if (found > 0) return []
  return misspeltNames(client, filter, () => workflowsOf({ option: undefined, configured }))
}

/** Prints warnings on standard error, where they are seen although the results are read by a program. */
export function noteWarnings(warnings: readonly string[], terminal: Terminal): void {
  for (const warning of warnings) terminal.note(`stepward: ${warning}`)
}

async function workflowsOf({ option, configured }: NamingModule): Promise<readonly Workflow<unknown>[]> {
  const path = option ?? configured
  if (path === undefined) return []
  const loading = loadUserModule(path)
  const module = await (option === undefined ? loading.catch(() => null) : loading)
  return module?.workflows ?? []
}
