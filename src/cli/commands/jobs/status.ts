import { systemClock } from '../../../platform/index.js'
import {
  JobNotFound,
  type Attention,
  type AuditEntry,
  type Job,
  type Json,
  type JobClient,
  type JobCounts,
  type JobView,
  type RestartOf,
  type UndeliveredNotice,
} from '../../../sas/index.js'
import { processStates } from '../../../sas/internal.js'
import { CliError, exitCodes } from '../../output/cli-error.js'
import { editText } from '../../output/edit-text.js'
import { forSameStore } from '../../output/same-store.js'
import { whatToDo } from '../../output/step-graph.js'
import { stepsText } from '../../output/steps-text.js'
import { tagsText } from '../../input/tags.js'
import { withClient, withExistingStore } from '../../input/store.js'
import type { StoreOptions } from '../../input/store-options.js'
import { missingRoles } from '../../output/standstill.js'
import { stateText, table, wrapped, type Terminal } from '../../output/terminal.js'
import { undeliveredText, unreadableText } from '../../output/undelivered-text.js'

const labelWidth = 11

export interface StatusOptions extends StoreOptions {
  /** Whether large values are printed whole. Otherwise their size and hash are printed. */
  readonly whole?: boolean
  /** Whether the values that the workflow marks as secret are printed. */
  readonly showSecrets?: boolean
}

/** Shows one job with its steps, or the number of jobs in each state. */
export async function status(
  jobId: string | undefined,
  options: StatusOptions,
  terminal: Terminal,
): Promise<number> {
  const text = await withExistingStore({ options, terminal }, (settings) =>
    withClient(settings, (client) => {
      const look = (): Promise<string | null> => missingRoles(settings, options)
      return describeFrom(client, { jobId, terminal, look }, options)
    }),
  )
  terminal.print(text)
  return exitCodes.ok
}

interface Asked {
  readonly jobId: string | undefined
  readonly terminal: Terminal
  /** Returns which roles do not run although jobs need them, or null. */
  readonly look: () => Promise<string | null>
}

async function describeFrom(
  client: JobClient,
  { jobId, terminal, look }: Asked,
  options: StatusOptions,
): Promise<string> {
  if (options.whole === true && (jobId === undefined || options.json !== true))
    throw new CliError('--whole needs a job and --json', exitCodes.usage)
  if (jobId === undefined) {
    const [counts, untold, unreadable] = await Promise.all([
      client.counts(),
      client.undelivered(),
      client.unreadable(),
    ])
    if (unreadable.length > 0) terminal.note(unreadableText(unreadable.length))
    return describeCounts(counts, untold.length, options)
  }
  const job = await client.get(jobId)
  if (job === null) throw new JobNotFound(jobId)
  const [seen, undelivered] = await Promise.all([
    job.view({ hidesSecrets: options.showSecrets !== true, readsLeases: true }),
    client.undelivered({ jobId }),
  ])
  const view = options.whole === true ? await wholeView(job, seen) : seen
  // An ended job needs no role, and if the leases cannot be read, the rest of the answer is still true.
  const nothingRuns = view.endedAt === null ? await look().catch(() => null) : null
  return options.json === true
    ? JSON.stringify({ ...view, undelivered, nothingRuns })
    : describe(view, { undelivered, nothingRuns, store: options }, terminal)
}

/** Returns a view whose large values are read from the payload store. */
async function wholeView(job: Job, view: JobView): Promise<JobView> {
  return (await job.load(JSON.parse(JSON.stringify(view)) as Json)) as unknown as JobView
}

function decided({ by, at, why }: Pick<AuditEntry, 'by' | 'at' | 'why'>): string {
  return `by ${by} at ${at.slice(0, 19)}: ${why}`
}

function describeCounts(counts: JobCounts, untold: number, options: StoreOptions): string {
  if (options.json === true) return JSON.stringify(counts)
  const shown = table(
    ['STATE', 'JOBS'],
    processStates.map((state) => [stateText(state), counts[state]]),
  )
  return untold === 0 ? shown : `${shown}\n\n${undeliveredText(untold)}: see "stepward attention"`
}

function attentionText({ kind, stepId, message }: Attention): string {
  // The message of a failed job already names its steps.
  const isNamed = stepId === null || /^steps? /u.test(message)
  return [kind, ...(isNamed ? [] : [`step ${stepId}`]), message].join(': ')
}

interface Found {
  readonly undelivered: readonly UndeliveredNotice[]
  readonly nothingRuns: string | null
  /** The store of the commands that are suggested. */
  readonly store: StoreOptions
}

const maxResultLength = 500

/** Returns a result as JSON. A long text ends early, and `--json` prints all of it. */
function resultText(result: JobView['result']): string {
  const text = JSON.stringify(result)
  return text.length <= maxResultLength ? text : `${text.slice(0, maxResultLength)}…`
}

/** Returns who answered the questions of a job, and what. */
function answersOf({ steps }: JobView): [string, string][] {
  return steps.flatMap(({ stepId, event }): [string, string][] => {
    if (event?.by === undefined) return []
    const note = event.note === undefined ? '' : `: ${event.note}`
    return [
      ['answer', `${stepId} ${resultText(event.payload)} by ${event.by} at ${event.at.slice(0, 19)}${note}`],
    ]
  })
}

function restartOfText({ jobId, from, ...decision }: RestartOf): string {
  return `${jobId} from step ${from} ${decided(decision)}`
}

function describe(
  job: JobView,
  { undelivered, nothingRuns, store }: Found,
  { width, tableWidth }: Pick<Terminal, 'width' | 'tableWidth'>,
): string {
  const facts: [string, string][] = [
    ['job', job.jobId],
    ...(job.orderId === job.jobId ? [] : [['order', job.orderId] as [string, string]]),
    ['workflow', `${job.workflow} (version ${job.workflowVersion})`],
    ['state', job.restartedAs === null ? job.state : `${job.state}, restarted as ${job.restartedAs.jobId}`],
    ['why', job.why],
    ...(nothingRuns === null ? [] : [['roles', nothingRuns] as [string, string]]),
    ...(Object.keys(job.tags).length === 0 ? [] : [['tags', tagsText(job.tags)] as [string, string]]),
    ['submitted', job.submittedAt],
    ...(job.endedAt === null ? [] : [['ended', job.endedAt] as [string, string]]),
    ...(job.result === null ? [] : [['result', resultText(job.result)] as [string, string]]),
    ...(job.lockedBy === null ? [] : [['driven by', job.lockedBy] as [string, string]]),
    ...(job.attention === null ? [] : [['attention', attentionText(job.attention)] as [string, string]]),
    ...(job.compensation === null ? [] : [['undone', job.compensation.reason] as [string, string]]),
    ...undelivered.flatMap(({ kind, receiver, message, resends }): [string, string][] => [
      [
        'notice',
        `"${kind}" was not delivered to ${receiver}: ${message}; repair the receiver, then: ` +
          forSameStore(`stepward resend ${job.jobId}`, store),
      ],
      ...resends.map((decision): [string, string] => ['resend', `"${kind}" ${decided(decision)}`]),
    ]),
    ...answersOf(job),
    ...(job.restartOf === null ? [] : [['restart of', restartOfText(job.restartOf)] as [string, string]]),
    ...job.audit.flatMap(({ command, stepId, edit, ...decision }): [string, string][] => [
      [command, `${stepId === null ? '' : `${stepId} `}${decided(decision)}`],
      ...(edit === undefined ? [] : [['edit', editText(edit)] as [string, string]]),
    ]),
  ]
  const lines = facts.map(([name, text]) => {
    const told = wrapped(text, width, ' '.repeat(labelWidth)).slice(labelWidth)
    return `${name.padEnd(labelWidth)}${name === 'state' ? stateText(told) : told}`
  })
  return `${[...lines, ...whatToDo(job, store)].join('\n')}\n\n${stepsText(job.steps, { width: tableWidth, now: systemClock.now() })}`
}
