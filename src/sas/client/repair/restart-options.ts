import { flag, kind, oneOf, readOptions, text } from '../../../platform/options.js'
import type { AfterRestart, RestartPlan } from '../../decisions/operator/restart.js'
import { isWorkflow } from '../../workflow/workflow.js'
import { personName, reasonText } from '../../model/values/said-texts.js'
import type { CommandOptions } from '../command-options.js'

export type { AfterRestart, RestartPlan }

/** Options of a restart of one job. */
export interface RestartOptions extends CommandOptions {
  /** The first step that runs again. The steps that depend on it, and all unfinished steps, run too. */
  readonly from: string
  readonly by: string
  /** The reason, kept in both jobs. */
  readonly why: string
  /** The new input of the job. It must be JSON. Default: the input of the job that is restarted. */
  readonly input?: unknown
  /**
   * Workflows of your module. If the workflow of the job is among them, its schema checks the new `input`. A job does
   * not contain the schema. Default: the input is not checked.
   */
  readonly workflows?: readonly { readonly name: string }[]
  /** A new input for the step `from`, which replaces its present input. It must be JSON. */
  readonly stepInput?: unknown
  /** The id of the new job. Default: `<jobId>.r1`, and for a restart of that job `<jobId>.r2`. */
  readonly as?: string
  /**
   * What becomes of the effects of steps that run again. `'undo'`: the new job undoes them first. `'keep'`: they
   * stay, and no job undoes them. Needed only if such a step has an undo and may have acted.
   */
  readonly after?: AfterRestart
}

/** A restart that was made or, in a dry run, would be made. */
export interface RestartReport extends RestartPlan {
  /** The id of the new job. */
  readonly jobId: string
  /** The partition key of the new job, which is the one of the job that is restarted. */
  readonly partitionKey: string
  /** The id of the job that is restarted. */
  readonly restartOf: string
  /** The first step that runs again. */
  readonly from: string
  /** False if an earlier call made this restart. */
  readonly isNew: boolean
  readonly isDryRun: boolean
}

const shape = {
  jobId: text(),
  from: text(),
  by: personName,
  why: reasonText,
  as: text().optional(),
  after: oneOf('undo', 'keep').optional(),
  partitionKey: text().optional(),
  workflows: kind<readonly { readonly name: string }[]>('a list of workflows', (given) => {
    return Array.isArray(given) && given.every(isWorkflow)
  }).optional(),
  dryRun: flag().optional(),
}

/** Returns all problems of the arguments of a restart, except those of its inputs. */
export function restartProblems(jobId: string, options: Partial<RestartOptions>): readonly string[] {
  const { input: _input, stepInput: _stepInput, ...terms } = options
  return readOptions(shape, { ...terms, jobId }).problems
}
