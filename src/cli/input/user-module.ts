import { errorMessage } from '../../platform/internal.js'
import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Agent, Schedule, Workflow } from '../../sas/index.js'
import { isAgent, isSchedule, isWorkflow } from '../../sas/internal.js'
import { CliError, exitCodes } from '../output/cli-error.js'

export interface UserModule {
  readonly agents: readonly Agent[]
  readonly workflows: readonly Workflow<unknown>[]
  readonly schedules: readonly Schedule[]
}

/**
 * Loads a module and returns every agent, workflow and schedule that it exports, whether directly or inside a list or
 * an object.
 *
 * @throws CliError if the module cannot be loaded
 */
export async function loadUserModule(path: string): Promise<UserModule> {
  const file = resolve(path)
  let loaded: unknown
  try {
    loaded = await import(pathToFileURL(file).href)
  } catch (error) {
    throw new CliError(`module ${path} ${whyNot(file, error)}`, exitCodes.usage, { cause: error })
  }
  const agents = new Set<Agent>()
  const workflows = new Set<Workflow<unknown>>()
  const schedules = new Set<Schedule>()
  const collect = (value: unknown, depth: number): void => {
    if (isAgent(value)) agents.add(value)
    else if (isWorkflow(value)) workflows.add(value)
    else if (isSchedule(value)) schedules.add(value)
    else if (depth > 0 && typeof value === 'object' && value !== null) {
      for (const inner of Object.values(value)) collect(inner, depth - 1)
    }
  }
  collect(loaded, 2)
  return { agents: [...agents], workflows: [...workflows], schedules: [...schedules] }
}

function whyNot(file: string, error: unknown): string {
  if (!existsSync(file))
    return `does not exist (${file}): name a JavaScript file that exports agents and workflows`
  const why = errorMessage(error)
  if (statSync(file).isDirectory()) return `is a directory (${file}): name a JavaScript file in it`
  const extension = /\.[^./\\]*$/u.exec(file)?.[0] ?? ''
  if (!/^\.([cm]?[jt]sx?|node)?$/u.test(extension))
    return `is no JavaScript file (${file}): name a .js or .mjs file that exports agents and workflows`
  if (/\.[cm]?tsx?$/u.test(file)) {
    return `could not be loaded: it is TypeScript; compile it, and name the compiled .js file (${why})`
  }
  return `could not be loaded: ${why}; run "node ${file}" to see where`
}

/**
 * Returns the workflow with this name.
 *
 * @throws CliError with the names of the existing workflows, if this name is not among them
 */
export function workflowNamed(name: string, module: UserModule, path: string): Workflow<unknown> {
  const found = module.workflows.find((workflow) => workflow.name === name)
  if (found !== undefined) return found
  const known = module.workflows.map((workflow) => workflow.name).join(', ')
  const offer = known === '' ? 'exports no workflow' : `has ${known}`
  throw new CliError(`unknown workflow ${JSON.stringify(name)}: ${path} ${offer}`, exitCodes.usage)
}

/** Returns the path of the module from the command line or the configuration. Throws if neither names one. */
export function modulePath(flag: string | undefined, configured: string | undefined, option: string): string {
  const path = flag ?? configured
  if (path !== undefined) return path
  const advice = `${option.startsWith('-') ? 'pass' : 'run'} ${option} MODULE, or set "module" in stepward.config.json`
  throw new CliError(`no module with your agents and workflows was given: ${advice}`, exitCodes.usage)
}
