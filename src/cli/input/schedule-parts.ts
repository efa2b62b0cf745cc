import { errorMessage, withoutUndefined } from '../../platform/internal.js'
import type { ScheduleOptions } from '../../sas/index.js'
import { CliError, exitCodes } from '../output/cli-error.js'
import { readJsonFile } from './json-file.js'
import { loadUserModule, modulePath, workflowNamed } from './user-module.js'

/** The options that describe a schedule. */
export interface GivenParts {
  readonly workflows?: string
  readonly workflow?: string
  readonly cron?: string
  readonly timeZone?: string
  readonly every?: string
  readonly input?: string
  readonly overlap?: string
  readonly catchUp?: string
  readonly jitter?: string
}

/** Checks whether an option describes a part of a schedule. `--workflows` only names the module. */
export function areGiven({ workflow, cron, timeZone, every, input, overlap, catchUp, jitter }: GivenParts) {
  return [workflow, cron, timeZone, every, input, overlap, catchUp, jitter].some((one) => one !== undefined)
}

/** Returns the parts of a schedule. The library checks the texts, because it has the rules. */
export async function partsOf(
  { workflows, workflow: name, input: file, cron, timeZone, every, overlap, catchUp, jitter }: GivenParts,
  module: string | undefined,
): Promise<Partial<ScheduleOptions<unknown>>> {
  const given = file === undefined ? undefined : await readJsonFile('--input', file)
  const texts = { cron, timeZone, every, overlap, catchUp, jitter } as Partial<ScheduleOptions<unknown>>
  if (name === undefined) return withoutUndefined({ ...texts, input: given })
  const path = modulePath(workflows, module, '--workflows')
  const workflow = workflowNamed(name, await loadUserModule(path), path)
  const { parse } = workflow.submission
  try {
    const input = given === undefined || parse === undefined ? given : parse(given)
    return withoutUndefined({ ...texts, workflow, input })
  } catch (error) {
    throw new CliError(`--input ${file ?? ''}: ${errorMessage(error)}`, exitCodes.usage, { cause: error })
  }
}
