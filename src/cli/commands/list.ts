import { processStates, type JobFilter } from '../../sas/index.js'
import { CliError, exitCodes } from '../cli-error.js'
import { withClient, withExistingStore } from '../store.js'
import type { StoreOptions } from '../store-options.js'
import { stateText, table, type Terminal } from '../terminal.js'

/** Options of `stepward list`. */
export interface ListOptions extends StoreOptions {
  readonly state?: string
  readonly workflow?: string
  readonly limit: string
}

/** Lists jobs, newest submission first. */
export async function list(options: ListOptions, terminal: Terminal): Promise<number> {
  const filter = filterOf(options)
  const jobs = await withExistingStore(options, (settings) =>
    withClient(settings, (client) => client.list(filter)),
  )
  if (options.json === true) {
    terminal.print(JSON.stringify(jobs))
  } else if (jobs.length === 0) {
    terminal.print('no such jobs')
  } else {
    const rows = jobs.map((job) => [
      job.jobId,
      job.workflow,
      stateText(job.state),
      `${job.stepsDone}/${job.stepCount}`,
      job.submittedAt.slice(0, 19),
      job.attention?.stepId ?? '',
    ])
    terminal.print(table(['JOB', 'WORKFLOW', 'STATE', 'STEPS', 'SUBMITTED', 'ATTENTION'], rows))
  }
  return exitCodes.ok
}

function filterOf({ state, workflow, limit }: ListOptions): JobFilter {
  const known = processStates.find((name) => name.toLowerCase() === state?.toLowerCase())
  if (state !== undefined && known === undefined) {
    throw new CliError(
      `--state ${JSON.stringify(state)} must be one of ${processStates.join(', ')}`,
      exitCodes.usage,
    )
  }
  const count = Number(limit)
  if (!Number.isInteger(count) || count < 1) {
    throw new CliError(`--limit ${JSON.stringify(limit)} must be a whole number from 1`, exitCodes.usage)
  }
  return {
    limit: count,
    ...(known === undefined ? {} : { state: known }),
    ...(workflow === undefined ? {} : { workflow }),
  }
}
