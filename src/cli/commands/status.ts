import { connect } from '../../host/index.js'
import { JobNotFound, type JobView } from '../../sas/index.js'
import { exitCodes } from '../cli-error.js'
import { findStore, type StoreOptions } from '../store-options.js'
import { stateText, table, type Terminal } from '../terminal.js'

/** The most jobs that are counted. */
const counted = 10_000

/** Shows one job with its steps, or how many jobs there are in each state. */
export async function status(jobId: string | undefined, options: StoreOptions, terminal: Terminal): Promise<number> {
  const store = await findStore(options)
  try {
    const client = await connect(store.settings)
    try {
      if (jobId === undefined) {
        const jobs = await client.list({ limit: counted })
        const counts: Record<string, number> = { Pending: 0, Processing: 0, Processed: 0, Error: 0 }
        for (const { state } of jobs) counts[state] = (counts[state] ?? 0) + 1
        printCounts(counts, options, terminal)
      } else {
        const job = await client.get(jobId)
        if (job === null) throw new JobNotFound(jobId)
        const view = await job.view()
        terminal.print(options.json === true ? JSON.stringify(view) : describe(view))
      }
    } finally {
      client.close()
    }
  } finally {
    await store.close()
  }
  return exitCodes.ok
}

function printCounts(counts: Readonly<Record<string, number>>, options: StoreOptions, terminal: Terminal): void {
  if (options.json === true) terminal.print(JSON.stringify(counts))
  else terminal.print(table(['STATE', 'JOBS'], Object.entries(counts).map(([state, jobs]) => [stateText(state), jobs])))
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
