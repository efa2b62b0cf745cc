import { systemClock } from '../../../platform/index.js'
import { counted } from '../../../platform/internal.js'
import {
  JobNotFound,
  type BulkMigrateReport,
  type JobClient,
  type MigratedAlike,
  type MigrateOptions,
  type MigrateReport,
} from '../../../sas/index.js'
import { CliError, exitCodes } from '../../output/cli-error.js'
import { filterOf } from '../../input/selection.js'
import { isSelected, type SelectionOptions } from '../../input/selection-options.js'
import { withClient, withExistingStore } from '../../input/store.js'
import type { StoreOptions } from '../../input/store-options.js'
import { loadUserModule, modulePath, workflowNamed, type UserModule } from '../../input/user-module.js'
import { whoAmI } from '../../input/who-am-i.js'
import { valueText } from '../../output/edit-text.js'
import { bar, wrapped, type Terminal } from '../../output/terminal.js'
import { noteWarnings, warningsIfEmpty } from './names-of-module.js'
import { print } from './resubmit-release-cancel.js'

export interface MigrateCommandOptions extends StoreOptions, SelectionOptions {
  readonly module?: string
  readonly by?: string
  readonly why?: string
  readonly dryRun?: boolean
  readonly older?: boolean
}

interface Given {
  readonly module: UserModule
  readonly path: string
  readonly terms: Pick<MigrateOptions, 'by' | 'why' | 'dryRun' | 'older'>
  readonly options: MigrateCommandOptions
  readonly terminal: Terminal
}

/** The number of plans that a report on a terminal shows. */
const maxPlans = 10

/** Replaces the plan of one job, or of all jobs of a workflow that match. */
export async function migrate(
  jobId: string | undefined,
  options: MigrateCommandOptions,
  terminal: Terminal,
): Promise<number> {
  refuseContradictions(jobId, options)
  const { by = whoAmI(), why = 'migrated', dryRun = false, older = false } = options
  return withExistingStore({ options, terminal }, async (settings) => {
    const path = modulePath(options.module, settings.module, '--module')
    const module = await loadUserModule(path)
    const given = { module, path, terms: { by, why, dryRun, older }, options, terminal }
    return withClient(settings, (client) =>
      jobId === undefined ? migrateAll(client, given) : migrateOne(client, jobId, given),
    )
  })
}

async function migrateOne(
  client: JobClient,
  jobId: string,
  { module, path, terms, options, terminal }: Given,
): Promise<number> {
  const job = await client.get(jobId)
  if (job === null) throw new JobNotFound(jobId)
  const { workflow: name } = await job.view()
  const report = await client.migrate(jobId, workflowNamed(name, module, path), terms)
  if (options.json === true) terminal.print(JSON.stringify({ command: 'migrate', ...report }))
  else printOne(report, terminal)
  return exitCodes.ok
}

function printOne({ jobId, isDryRun, ...plan }: MigrateReport, terminal: Terminal): void {
  const { changed, edit } = plan
  if (edit.changes.length === 0) {
    const isKept = plan.kept.length > 0
    terminal.print(isKept ? `${jobId}: nothing can change.` : `${jobId} has this plan already.`)
  } else {
    const steps = changed.length === 0 ? 'the job as a whole' : changed.join(', ')
    terminal.print(`${jobId} ${isDryRun ? 'would be migrated' : 'migrated'}: ${steps}`)
  }
  printPlan(plan, terminal)
}

function printPlan({ kept, edit }: Omit<MigratedAlike, 'jobIds'>, terminal: Terminal): void {
  const { changes, others } = edit
  for (const { stepId, path, before, after } of changes) {
    const place = stepId === null ? path : `${stepId}: ${path}`
    terminal.print(
      wrapped(`${place}: ${valueText(path, before)} → ${valueText(path, after)}`, terminal.width, '  '),
    )
  }
  if (others > 0) terminal.print(`  and ${counted(others, 'other change')}`)
  if (kept.length > 0) {
    const text = `${kept.join(', ')} began before and ${kept.length === 1 ? 'keeps its' : 'keep their'} plan`
    terminal.print(wrapped(text, terminal.width, '  '))
  }
}

/** Prints what changes, once for all jobs with the same changes. */
function printPlans(groups: readonly MigratedAlike[], terminal: Terminal): void {
  for (const { jobIds, ...plan } of groups.slice(0, maxPlans)) {
    const [first = ''] = jobIds
    const which = jobIds.length === 1 ? `job ${first}` : `${jobIds.length} jobs, such as ${first}`
    const same =
      plan.kept.length > 0
        ? `Nothing can change in ${which}.`
        : `${jobIds.length === 1 ? `Job ${first} already has` : `${which}, already have`} this plan.`
    terminal.print(plan.edit.changes.length === 0 ? same : `In ${which}:`)
    printPlan(plan, terminal)
  }
  if (groups.length > maxPlans)
    terminal.print(`and ${groups.length - maxPlans} more groups of jobs; --json lists all`)
}

async function migrateAll(
  client: JobClient,
  { module, path, terms, options, terminal }: Given,
): Promise<number> {
  const workflow = workflowNamed(options.workflow ?? '', module, path)
  const filter = filterOf(options, systemClock.now())
  const onProgress = (done: number, total: number): void => {
    terminal.progress(`${bar(done, total, 30)} ${done} of ${counted(total, 'job')}`)
  }
  let report: BulkMigrateReport
  try {
    report = await client.select(filter).migrate(workflow, { ...terms, onProgress })
  } finally {
    terminal.progressDone()
  }
  const found = report.done.length + report.refused.length
  const warnings = await warningsIfEmpty(client, found, { filter, configured: path })
  noteWarnings(warnings, terminal)
  if (options.json === true) terminal.print(JSON.stringify({ command: 'migrate', ...report, warnings }))
  else {
    const same = new Set(
      report.migrated.flatMap(({ jobIds, edit }) => (edit.changes.length === 0 ? jobIds : [])),
    )
    const done = report.done.filter((jobId) => !same.has(jobId))
    // A job without a change is named with its reason below.
    if (done.length > 0 || report.refused.length > 0 || same.size === 0) {
      print('migrate', { ...report, done }, terminal)
    }
    printPlans(report.migrated, terminal)
  }
  return report.refused.length === 0 ? exitCodes.ok : exitCodes.conflict
}

function refuseContradictions(jobId: string | undefined, options: MigrateCommandOptions): void {
  const { why, workflow, dryRun } = options
  const problems = [
    ...(why === undefined && dryRun !== true ? ['pass --why TEXT, the reason: it is stored on the job'] : []),
    ...(jobId === undefined && workflow === undefined
      ? ['migrate needs a JOB, or --workflow NAME: the jobs of that workflow get its definition']
      : []),
    ...(jobId !== undefined && isSelected(options)
      ? ['a JOB and filters such as --workflow exclude each other: pass one or the other']
      : []),
  ]
  if (problems.length > 0) throw new CliError(problems.join('; '), exitCodes.usage)
}
