import {
  JobNotFound,
  processStates,
  type JobClient,
  type JobSummary,
  type JobView,
  type ProcessState,
} from '../../sas/index.js'
import { exitCodes } from '../cli-error.js'
import { withClient, withExistingStore } from '../store.js'
import type { StoreOptions } from '../store-options.js'
import { stateText, table, type Terminal } from '../terminal.js'

/** The most jobs that are counted. */
const counted = 10_000

/** Shows one job with its steps, or how many jobs there are in each state. */
export async function status(
  jobId: string | undefined,
  options: StoreOptions,
  terminal: Terminal,
): Promise<number> {
  const text = await withExistingStore(options, (settings) =>
    withClient(settings, (client) => describeFrom(client, jobId, options)),
  )
  terminal.print(text)
  return exitCodes.ok
}

async function describeFrom(
  client: JobClient,
  jobId: string | undefined,
  options: StoreOptions,
): Promise<string> {
  if (jobId === undefined) return describeCounts(await client.list({ limit: counted }), options)
  const job = await client.get(jobId)
  if (job === null) throw new JobNotFound(jobId)
  const view = await job.view()
  return options.json === true ? JSON.stringify(view) : describe(view)
}

function describeCounts(jobs: readonly JobSummary[], options: StoreOptions): string {
  const counts = new Map<ProcessState, number>(processStates.map((state) => [state, 0]))
  for (const { state } of jobs) counts.set(state, (counts.get(state) ?? 0) + 1)
  if (options.json === true) return JSON.stringify(Object.fromEntries(counts))
  return table(
    ['STATE', 'JOBS'],
    [...counts].map(([state, count]) => [stateText(state), count]),
  )
}

function describe(job: JobView): string {
  const facts = [
    `job        ${job.jobId}`,
    `workflow   ${job.workflow} (version ${job.workflowVersion})`,
    `state      ${stateText(job.state)}`,
    `submitted  ${job.submittedAt}`,
    ...(job.endedAt === null ? [] : [`ended      ${job.endedAt}`]),
    ...(job.lockedBy === null ? [] : [`driven by  ${job.lockedBy}`]),
    ...(job.attention === null ? [] : [`attention  ${job.attention.message}`]),
  ]
  const steps = job.steps.map((step) => [
    step.stepId,
    stateText(step.state),
    `${step.failureCount}/${step.maxFailures}`,
    step.completeBy ?? '',
    step.diagnostics.at(-1)?.message.slice(0, 40) ?? '',
  ])
  return `${facts.join('\n')}\n\n${table(['STEP', 'STATE', 'FAILED', 'COMPLETE BY', 'LAST DIAGNOSTIC'], steps)}`
}
