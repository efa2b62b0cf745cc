import {
  JobNotFound,
  type Attention,
  type AuditEntry,
  type JobClient,
  type JobCounts,
  type JobView,
  type UndeliveredNotice,
} from '../../../sas/index.js'
import { processStates } from '../../../sas/internal.js'
import { exitCodes } from '../../output/cli-error.js'
import { fitted } from '../../output/fitted.js'
import { whatToDo } from '../../output/step-graph.js'
import { tagsText } from '../../input/tags.js'
import { withClient, withExistingStore } from '../../input/store.js'
import type { StoreOptions } from '../../input/store-options.js'
import { stateText, table, wrapped, type Terminal } from '../../output/terminal.js'
import { undeliveredText, unreadableText } from '../../output/undelivered-text.js'

const labelWidth = 11

/** Shows one job with its steps, or the number of jobs in each state. */
export async function status(
  jobId: string | undefined,
  options: StoreOptions,
  terminal: Terminal,
): Promise<number> {
  const text = await withExistingStore({ options, terminal }, (settings) =>
    withClient(settings, (client) => describeFrom(client, { jobId, terminal }, options)),
  )
  terminal.print(text)
  return exitCodes.ok
}

async function describeFrom(
  client: JobClient,
  { jobId, terminal }: { readonly jobId: string | undefined; readonly terminal: Terminal },
  options: StoreOptions,
): Promise<string> {
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
  const [view, undelivered] = await Promise.all([job.view(), client.undelivered({ jobId })])
  return options.json === true
    ? JSON.stringify({ ...view, undelivered })
    : describe(view, undelivered, terminal)
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

const maxResultLength = 500

/** Returns a result as JSON. A long text ends early, and `--json` prints all of it. */
function resultText(result: JobView['result']): string {
  const text = JSON.stringify(result)
  return text.length <= maxResultLength ? text : `${text.slice(0, maxResultLength)}…`
}

function describe(
  job: JobView,
  undelivered: readonly UndeliveredNotice[],
  { width, tableWidth }: Pick<Terminal, 'width' | 'tableWidth'>,
): string {
  const facts: [string, string][] = [
    ['job', job.jobId],
    ...(job.orderId === job.jobId ? [] : [['order', job.orderId] as [string, string]]),
    ['workflow', `${job.workflow} (version ${job.workflowVersion})`],
    ['state', job.state],
    ['why', job.why],
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
        `"${kind}" was not delivered to ${receiver}: ${message}; repair the receiver, then: stepward ` +
          `resend ${job.jobId}`,
      ],
      ...resends.map((decision): [string, string] => ['resend', `"${kind}" ${decided(decision)}`]),
    ]),
    ...job.audit.map(({ command, stepId, ...decision }): [string, string] => [
      command,
      `${stepId === null ? '' : `${stepId} `}${decided(decision)}`,
    ]),
  ]
  const lines = facts.map(([name, text]) => {
    const told = wrapped(text, width, ' '.repeat(labelWidth)).slice(labelWidth)
    return `${name.padEnd(labelWidth)}${name === 'state' ? stateText(told) : told}`
  })
  const rows = job.steps.map((step) => [
    step.stepId,
    step.attention === null || step.state === 'Error' ? step.state : `${step.state}, ${step.attention.kind}`,
    `${step.failureCount}/${step.maxFailures}`,
    step.completeBy?.slice(0, 19) ?? '',
    step.diagnostics.at(-1)?.message ?? '',
  ])
  const head = ['STEP', 'STATE', 'FAILED', 'COMPLETE BY', 'LAST DIAGNOSTIC']
  const shown = fitted(head, rows, tableWidth)
  const steps = shown.map((row) => row.map((cell, column) => (column === 1 ? stateText(cell) : cell)))
  return `${[...lines, ...whatToDo(job)].join('\n')}\n\n${table(head, steps)}`
}
