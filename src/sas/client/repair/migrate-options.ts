import { flag, kind, readOptions, text } from '../../../platform/options.js'
import type { InputEdit } from '../../model/readable-parts.js'
import { personName, reasonText } from '../../model/values/said-texts.js'
import { isWorkflow } from '../../workflow/workflow.js'
import type { CommandOptions } from '../command-options.js'

/** Options of a migration: who replaces the plan, and why. */
export interface MigrateOptions extends CommandOptions {
  readonly by: string
  /** The reason, kept in the job. */
  readonly why: string
  /** Whether a definition with an older version may replace the plan of the job. Default false: it is refused. */
  readonly older?: boolean
}

/** A migration that was made or, in a dry run, would be made. */
export interface MigrateReport {
  readonly jobId: string
  /** The steps whose plan is replaced, in the order of the workflow. */
  readonly changed: readonly string[]
  /** The steps that are different in the new definition, and keep their plan because they have begun. */
  readonly kept: readonly string[]
  /** What changes. Empty if the job has this plan already. */
  readonly edit: InputEdit
  readonly isDryRun: boolean
}

/** The jobs of a selection in which a migration makes the same changes. */
export interface MigratedAlike extends Omit<MigrateReport, 'jobId' | 'isDryRun'> {
  readonly jobIds: readonly string[]
}

/** Groups jobs by what their migration changes, the largest group first. */
export function alike(reports: readonly MigrateReport[]): readonly MigratedAlike[] {
  const groups = new Map<string, MigratedAlike & { readonly jobIds: string[] }>()
  for (const { jobId, isDryRun: _isDryRun, ...plan } of reports) {
    const key = JSON.stringify([plan.changed, plan.kept, plan.edit])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { ...plan, jobIds: [jobId] })
    else group.jobIds.push(jobId)
  }
  return [...groups.values()].sort((a, b) => b.jobIds.length - a.jobIds.length)
}

const shape = {
  jobId: text(),
  workflow: kind<unknown>('a workflow made by defineWorkflow', isWorkflow),
  by: personName,
  why: reasonText,
  partitionKey: text().optional(),
  dryRun: flag().optional(),
  older: flag().optional(),
}

/** Returns all problems of the arguments of a migration. */
export function migrateProblems(
  jobId: string,
  workflow: unknown,
  options: Partial<MigrateOptions>,
): readonly string[] {
  return readOptions(shape, { ...options, jobId, workflow }).problems
}
