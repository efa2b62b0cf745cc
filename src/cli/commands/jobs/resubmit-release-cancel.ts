import { systemClock } from '../../../platform/index.js'
import { counted, errorMessage, withoutUndefined } from '../../../platform/internal.js'
import type { BulkOptions, BulkReport, JobClient, SelectionFilter } from '../../../sas/index.js'
import {
  newInputWarnings,
  readCancelPlans,
  type CancelPlan,
  type JobCancelPlan,
} from '../../../sas/internal.js'
import { CliError, exitCodeOf, exitCodes } from '../../output/cli-error.js'
import { confirmed } from '../../input/confirmed.js'
import { readJsonFile } from '../../input/json-file.js'
import { causeProblems, filterOf } from '../../input/selection.js'
import { isSelected, type SelectionOptions } from '../../input/selection-options.js'
import { withClient, withExistingStore } from '../../input/store.js'
import type { StoreOptions } from '../../input/store-options.js'
import { bar, firstOf, wrapped, type Terminal } from '../../output/terminal.js'
import { noteWarnings, warningsIfEmpty } from './names-of-module.js'
import { whoAmI } from '../../input/who-am-i.js'

export type DecisionKind = 'resubmit' | 'release' | 'cancel'

export interface DecideOptions extends StoreOptions, SelectionOptions {
  readonly assignee?: string
  readonly snoozed?: boolean
  readonly notSnoozed?: boolean
  readonly cause?: string
  readonly all?: boolean
  readonly yes?: boolean
  readonly by?: string
  readonly why?: string
  readonly dryRun?: boolean
  /** A JSON file that replaces the input of the step. */
  readonly input?: string
}

type Printed = DecisionKind | 'restart' | 'migrate' | 'triage'

const past: Readonly<Record<Printed, string>> = {
  resubmit: 'resubmitted',
  restart: 'restarted',
  migrate: 'migrated',
  triage: 'triaged',
  release: 'released',
  cancel: 'cancelled',
}

/** Carries out an operator's decision on one job, or on all jobs that match. */
export async function decide(
  kind: DecisionKind,
  jobId: string | undefined,
  options: DecideOptions,
  terminal: Terminal,
): Promise<number> {
  refuseContradictions(kind, jobId, options)
  const isFiltered = isChosen(options) || options.step !== undefined
  await confirmed(options, { what: 'every job of the store', isFiltered }, terminal)
  const input = options.input === undefined ? {} : { input: await readJsonFile('--input', options.input) }
  const { by = whoAmI(), why = past[kind], dryRun = false } = options
  const decision = { by, why, dryRun }
  const report = await withExistingStore({ options, terminal }, (settings) =>
    withClient(settings, (client) =>
      jobId === undefined
        ? decideAll({ kind, client, options, terminal, configured: settings.module }, decision)
        : decideOne(client, { kind, jobId, step: options.step, ...decision, ...input }),
    ),
  )
  noteWarnings(report.warnings, terminal)
  if (options.json === true) terminal.print(JSON.stringify({ command: kind, ...report }))
  else {
    print(
      kind,
      report,
      terminal,
      report.plans?.map(({ jobId, ...plan }) => [jobId, partsOf(plan).join('; ')]),
    )
    if (report.plan !== undefined) printPlan(report.plan, terminal)
  }
  return report.refused.length === 0 ? exitCodes.ok : exitCodes.conflict
}

interface Decision {
  readonly by: string
  readonly why: string
  readonly dryRun: boolean
}

interface One extends Decision {
  readonly kind: DecisionKind
  readonly jobId: string
  readonly step: string | undefined
  readonly input?: unknown
}

type Report = BulkReport & {
  readonly warnings: readonly string[]
  /** What would become of the steps, in a dry run of the cancellation of one job. */
  readonly plan?: CancelPlan
  /** The same for the first jobs of several. */
  readonly plans?: readonly JobCancelPlan[]
}

async function decideOne(client: JobClient, one: One): Promise<Report> {
  const { kind, jobId, step, dryRun, by, why, ...edit } = one
  const which = step === undefined ? {} : { step }
  const told = 'input' in edit ? await newInputWarnings(client, { jobId }, step) : []
  const warnings = told.map((text) => `warning: ${text}`)
  if (kind === 'cancel') await client.cancel(jobId, why, { by, dryRun })
  else if (kind === 'release') await client.release(jobId, { by, why, dryRun, ...which })
  else await client.resubmit(jobId, { by, why, dryRun, ...which, ...edit })
  const report = { isDryRun: dryRun, done: [jobId], refused: [], warnings }
  if (kind !== 'cancel' || !dryRun) return report
  const [read] = await readCancelPlans(client, [{ jobId }])
  if (read === undefined) return report
  const { jobId: _jobId, ...plan } = read
  return { ...report, plan }
}

interface Many {
  readonly kind: DecisionKind
  readonly client: JobClient
  readonly options: DecideOptions
  readonly terminal: Terminal
  readonly configured: string | undefined
}

async function decideAll(many: Many, decision: Decision): Promise<Report> {
  const filter = selectedBy(many.options)
  const report = await decideSelected(many, filter, decision)
  const found = report.done.length + report.refused.length
  const warnings = await warningsIfEmpty(many.client, found, { filter, configured: many.configured })
  if (many.kind !== 'cancel' || !decision.dryRun) return { ...report, warnings }
  const plans = await readCancelPlans(
    many.client,
    report.done.map((jobId) => ({ jobId })),
  )
  return { ...report, warnings, plans }
}

function selectedBy(options: DecideOptions): SelectionFilter {
  const { assignee, snoozed, notSnoozed, cause } = options
  const isSnoozed = snoozed === true ? true : notSnoozed === true ? false : undefined
  return { ...filterOf(options, systemClock.now()), ...withoutUndefined({ assignee, isSnoozed, cause }) }
}

async function decideSelected(
  { kind, client, terminal }: Many,
  filter: SelectionFilter,
  decision: Decision,
): Promise<BulkReport> {
  const selection = client.select(filter)
  let reached = ''
  const onProgress: BulkOptions['onProgress'] = (done, total) => {
    reached = `${done} of ${counted(total, 'job')} ${decision.dryRun ? 'examined' : past[kind]}`
    terminal.progress(`${bar(done, total, 30)} ${reached}`)
  }
  try {
    const { why, ...rest } = { ...decision, onProgress }
    if (kind === 'cancel') return await selection.cancel(why, rest)
    return kind === 'release'
      ? await selection.release({ why, ...rest })
      : await selection.resubmit({ why, ...rest })
  } catch (error) {
    const message = errorMessage(error)
    const came = reached === '' ? '' : ` (${reached}; run the same command again to continue)`
    throw new CliError(`${message}${came}`, exitCodeOf(error), { cause: error })
  } finally {
    terminal.progressDone()
  }
}

function printPlan(plan: CancelPlan, terminal: Terminal): void {
  for (const part of partsOf(plan)) terminal.print(wrapped(part, terminal.width, '  '))
}

function partsOf({ stopped, undone, kept, uncertain }: CancelPlan): readonly string[] {
  const named = (id: string): string => (uncertain.includes(id) ? `${id} (may have acted)` : id)
  const parts = [
    ['stopped', stopped],
    ['undone', undone],
    ['effects stay', kept],
  ] as const
  return parts.map(
    ([name, ids]) =>
      `${name}: ${ids.length === 0 ? 'none' : ids.map(name === 'stopped' ? String : named).join(', ')}`,
  )
}

/** Prints what became of each job. `details` has more about some of the jobs, which then have a line each. */
export function print(
  kind: Printed,
  { isDryRun, done, refused }: BulkReport,
  terminal: Terminal,
  details: readonly (readonly [jobId: string, text: string])[] = [],
): void {
  const verb = isDryRun ? `would be ${past[kind]}` : past[kind]
  if (done.length === 0 && refused.length === 0) {
    terminal.print(`No matching job can be ${past[kind]}.`)
    return
  }
  if (done.length > 0) {
    terminal.print(`${counted(done.length, 'job')} ${verb}:`)
    for (const [jobId, text] of details) terminal.print(wrapped(`${jobId}: ${text}`, terminal.width, '  '))
    const others = done.filter((jobId) => !details.some(([known]) => known === jobId))
    if (others.length > 0) terminal.print(wrapped(firstOf(others), terminal.width, '  '))
  }
  for (const { jobId, reason } of refused) {
    terminal.print(wrapped(`${jobId} refused: ${reason}`, terminal.width, '  '))
  }
}

/** Checks whether the options choose among the jobs. `--not-snoozed` alone leaves nearly every job. */
function isChosen(options: DecideOptions): boolean {
  const { assignee, snoozed, cause } = options
  return isSelected(options) || assignee !== undefined || cause !== undefined || snoozed === true
}

function refuseContradictions(kind: DecisionKind, jobId: string | undefined, options: DecideOptions): void {
  const { step, all, why, input, snoozed, notSnoozed, dryRun, cause } = options
  const problems: string[] = causeProblems(cause)
  const isFiltered = isChosen(options) || all === true
  if (snoozed === true && notSnoozed === true) {
    problems.push('--snoozed and --not-snoozed exclude each other: pass one of them')
  }
  if (jobId === undefined && !isFiltered && step === undefined) {
    const filters =
      '--workflow, --state, --step, --since, --until, --tag, --text, --waiting-for, --agent, --took, --assignee, --cause or --snoozed'
    problems.push(`${kind} needs a JOB, or a choice of jobs by ${filters}; --all selects every job`)
  }
  if (jobId !== undefined && (isFiltered || notSnoozed === true)) {
    problems.push(
      'a JOB and filters such as --workflow or --tag, or --all, exclude each other: pass one or the other',
    )
  }
  if (jobId !== undefined && step !== undefined && kind === 'cancel') {
    problems.push('--step does not go with cancel, which cancels a whole job: omit it')
  }
  if (why === undefined && kind !== 'release' && dryRun !== true) {
    problems.push('pass --why TEXT, the reason: it is stored on the job with the decision')
  }
  if (input !== undefined && (jobId === undefined || step === undefined)) {
    problems.push('--input replaces the input of one step of one job: name both, JOB and --step')
  }
  if (problems.length > 0) throw new CliError(problems.join('; '), exitCodes.usage)
}
