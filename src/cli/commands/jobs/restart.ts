import { systemClock } from '../../../platform/index.js'
import { counted, errorMessage, withoutUndefined } from '../../../platform/internal.js'
import {
  CommandInvalid,
  CommandRefused,
  type AfterRestart,
  type BulkReport,
  type JobClient,
  type RestartOptions,
  type RestartReport,
} from '../../../sas/index.js'
import { CliError, exitCodeOf, exitCodes } from '../../output/cli-error.js'
import { confirmed } from '../../input/confirmed.js'
import { readJsonFile } from '../../input/json-file.js'
import { filterOf } from '../../input/selection.js'
import { isSelected, type SelectionOptions } from '../../input/selection-options.js'
import { withClient, withExistingStore } from '../../input/store.js'
import type { StoreOptions } from '../../input/store-options.js'
import { loadUserModule } from '../../input/user-module.js'
import { whoAmI } from '../../input/who-am-i.js'
import { bar, wrapped, type Terminal } from '../../output/terminal.js'
import { noteWarnings, warningsIfEmpty } from './names-of-module.js'
import { print } from './resubmit-release-cancel.js'

export interface RestartCommandOptions extends StoreOptions, SelectionOptions {
  readonly from?: string
  readonly module?: string
  readonly input?: string
  readonly stepInput?: string
  readonly as?: string
  readonly after?: string
  readonly all?: boolean
  readonly yes?: boolean
  readonly by?: string
  readonly why?: string
  readonly dryRun?: boolean
}

/** Restarts one job, or all jobs that match, from a step. */
export async function restart(
  jobId: string | undefined,
  options: RestartCommandOptions,
  terminal: Terminal,
): Promise<number> {
  refuseContradictions(jobId, options)
  const isFiltered = isSelected(options) || options.step !== undefined
  await confirmed(options, { what: 'every job of the store', isFiltered }, terminal)
  const given = await termsOf(options)
  return withExistingStore({ options, terminal }, async (settings) => {
    const workflows = await workflowsFor(options, settings.module, terminal)
    const terms = { ...given, workflows }
    return withClient(settings, (client) =>
      jobId === undefined
        ? restartAll(client, { terms, terminal, options, configured: settings.module })
        : restartOne(client, jobId, { terms, terminal, options }),
    )
  })
}

/** Returns the workflows whose schemas check a new input, if a module is known. */
async function workflowsFor(
  { module, input }: RestartCommandOptions,
  configured: string | undefined,
  terminal: Terminal,
): Promise<NonNullable<RestartOptions['workflows']>> {
  const path = module ?? configured
  if (input === undefined || path === undefined) return []
  try {
    return (await loadUserModule(path)).workflows
  } catch (error) {
    if (module !== undefined) throw error
    terminal.note(`stepward: the input was not checked: ${errorMessage(error)}`)
    return []
  }
}

type Terms = Omit<RestartOptions, 'partitionKey' | 'as'>

async function termsOf(options: RestartCommandOptions): Promise<Terms> {
  const { from = '', input, stepInput, after, by = whoAmI(), why = 'restarted', dryRun = false } = options
  const read = async (name: string, path: string | undefined) =>
    path === undefined ? undefined : readJsonFile(name, path)
  const inputs = {
    input: await read('--input', input),
    stepInput: await read('--step-input', stepInput),
  }
  const said = withoutUndefined({ after: after as AfterRestart | undefined })
  return { from, by, why, dryRun, ...withoutUndefined(inputs), ...said }
}

interface Given {
  readonly terms: Terms
  readonly terminal: Terminal
  readonly options: RestartCommandOptions
}

async function restartOne(
  client: JobClient,
  jobId: string,
  { terms, terminal, options }: Given,
): Promise<number> {
  const report = await client
    .restart(jobId, { ...terms, ...withoutUndefined({ as: options.as }) })
    .catch((error: unknown) => {
      if (!(error instanceof CommandRefused || error instanceof CommandInvalid)) throw error
      throw new CliError(inOptions(error.message), exitCodeOf(error), { cause: error })
    })
  if (options.json === true) terminal.print(JSON.stringify({ command: 'restart', ...report }))
  else printOne(report, terminal)
  return exitCodes.ok
}

function printOne(report: RestartReport, terminal: Terminal): void {
  const { jobId, restartOf, from, carried, again, undone, kept, repeated, isNew, isDryRun } = report
  const verb = isDryRun ? 'would be restarted' : isNew ? 'restarted' : 'was already restarted'
  terminal.print(`${restartOf} ${verb} from step ${from} as job ${jobId}:`)
  const lines: [string, readonly string[]][] = [
    ['carried over', carried],
    ['runs again', again],
    ...(undone.length === 0 ? [] : [['undone first', undone] as [string, readonly string[]]]),
    ...(kept.length === 0 ? [] : [['effects stay', kept] as [string, readonly string[]]]),
    ...(repeated.length === 0
      ? []
      : [['runs again although it succeeded', repeated] as [string, readonly string[]]]),
  ]
  for (const [name, ids] of lines) {
    const text = `${name}: ${ids.length === 0 ? 'none' : ids.join(', ')}`
    terminal.print(wrapped(text, terminal.width, '  '))
  }
}

async function restartAll(
  client: JobClient,
  { terms, terminal, options, configured }: Given & { readonly configured: string | undefined },
): Promise<number> {
  const filter = filterOf(options, systemClock.now())
  const onProgress = (done: number, total: number): void => {
    terminal.progress(`${bar(done, total, 30)} ${done} of ${counted(total, 'job')}`)
  }
  let report: BulkReport
  try {
    const made = await client.select(filter).restart({ ...terms, onProgress })
    const refused = made.refused.map(({ jobId, reason }) => ({ jobId, reason: inOptions(reason) }))
    report = { ...made, refused }
  } finally {
    terminal.progressDone()
  }
  const found = report.done.length + report.refused.length
  const warnings = await warningsIfEmpty(client, found, { filter, configured })
  noteWarnings(warnings, terminal)
  if (options.json === true) terminal.print(JSON.stringify({ command: 'restart', ...report, warnings }))
  else print('restart', report, terminal)
  return report.refused.length === 0 ? exitCodes.ok : exitCodes.conflict
}

/** Returns a reason of the library with the option of the command line, as in `--after undo`. */
function inOptions(reason: string): string {
  return reason.replaceAll(/after: "(undo|keep)"/gu, '--after $1')
}

function refuseContradictions(jobId: string | undefined, options: RestartCommandOptions): void {
  const { from, why, all, step, as, dryRun } = options
  const isFiltered = isSelected(options) || all === true || step !== undefined
  const problems = [
    ...(from === undefined ? ['pass --from STEP, the first step that runs again'] : []),
    ...(why === undefined && dryRun !== true
      ? ['pass --why TEXT, the reason: it is stored on both jobs']
      : []),
    ...(jobId === undefined && !isFiltered
      ? [
          'restart needs a JOB, or a choice of jobs by filters such as --workflow or --tag; --all selects every job',
        ]
      : []),
    ...(jobId !== undefined && isFiltered
      ? ['a JOB and filters such as --workflow, --step or --all exclude each other: pass one or the other']
      : []),
    ...(jobId === undefined && as !== undefined ? ['--as names one new job: pass a JOB'] : []),
  ]
  if (problems.length > 0) throw new CliError(problems.join('; '), exitCodes.usage)
}
