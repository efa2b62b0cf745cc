import { systemClock } from '../../../platform/index.js'
import type { JobClient, JobSummary } from '../../../sas/index.js'
import { withClient, withExistingStore } from '../../input/store.js'
import type { StoreOptions } from '../../input/store-options.js'
import { whoAmI } from '../../input/who-am-i.js'
import { wholeNumber } from '../../input/whole-number.js'
import { CliError, exitCodes } from '../../output/cli-error.js'
import { durationText } from '../../output/duration-text.js'
import { fitted } from '../../output/fitted.js'
import { table, type Terminal } from '../../output/terminal.js'

export interface PauseOptions extends StoreOptions {
  readonly by?: string
  readonly why?: string
  readonly dryRun?: boolean
}

export interface PausesOptions extends StoreOptions {
  readonly limit: string
}

/** The largest number of jobs in a list. It is more than a person reads. */
const mostListed = 10_000

const past = { pause: 'paused', resume: 'resumed' } as const

/** Pauses or resumes a job. */
export async function decidePause(
  kind: keyof typeof past,
  { what, name }: { readonly what: string; readonly name: string },
  options: PauseOptions,
  terminal: Terminal,
): Promise<number> {
  if (what !== 'job' && what !== 'key') {
    const rule = `${kind} job ID, or ${kind} key NAME for all steps with a limit`
    throw new CliError(`${kind} ${what}: a job or a key can be ${past[kind]}: ${rule}`, exitCodes.usage)
  }
  const { by = whoAmI(), why = kind === 'resume' ? past[kind] : undefined, dryRun = false } = options
  if (why === undefined)
    throw new CliError(
      'pass --why TEXT, the reason: it is stored on the job with the decision',
      exitCodes.usage,
    )
  const decide = what === 'job' ? decideJob : decideKey
  await withExistingStore({ options, terminal }, (settings) =>
    withClient(settings, (client) => decide(client, kind, name, { by, why, dryRun })),
  )
  const subject = what === 'job' ? { jobId: name } : { key: name }
  if (options.json === true)
    terminal.print(JSON.stringify({ command: kind, ...subject, by, why, isDryRun: dryRun }))
  else terminal.print(`${what} ${name} ${dryRun ? 'would be' : 'is'} ${past[kind]}`)
  return exitCodes.ok
}

interface Terms {
  readonly by: string
  readonly why: string
  readonly dryRun: boolean
}

async function decideJob(
  client: JobClient,
  kind: keyof typeof past,
  jobId: string,
  terms: Terms,
): Promise<void> {
  const { by, why, dryRun } = terms
  if (kind === 'pause') await client.pause(jobId, why, { by, dryRun })
  else await client.resume(jobId, { by, why, dryRun })
}

/** Lets no step with a limit of this key begin, or gives the limit back to the workflows. */
async function decideKey(
  client: JobClient,
  kind: keyof typeof past,
  key: string,
  terms: Terms,
): Promise<void> {
  const { by, why, dryRun } = terms
  if (dryRun) return
  if (kind === 'pause') await client.limits.set(key, { atOnce: 0 }, { by, why })
  else await client.limits.clear(key)
}

/** Lists the paused jobs, with the newest submission first. */
export async function pauses(options: PausesOptions, terminal: Terminal): Promise<number> {
  const limit = wholeNumber('--limit', options.limit, { min: 1, max: mostListed })
  const found = await withExistingStore({ options, terminal }, (settings) =>
    withClient(settings, (client) => client.list({ isPaused: true, limit: limit + 1 })),
  )
  const jobs = found.slice(0, limit)
  if (options.json === true) terminal.print(JSON.stringify(jobs))
  else terminal.print(jobs.length === 0 ? 'nothing is paused' : describe(jobs, terminal))
  if (found.length > limit) terminal.note('there are more paused jobs: pass a larger --limit')
  return exitCodes.ok
}

function describe(jobs: readonly JobSummary[], { tableWidth }: Pick<Terminal, 'tableWidth'>): string {
  const now = systemClock.now()
  const head = ['JOB', 'WORKFLOW', 'STATE', 'STEPS', 'PAUSED FOR', 'BY', 'WHY']
  const rows = jobs.flatMap(({ paused, ...job }) =>
    paused === null
      ? []
      : [
          [
            job.jobId,
            job.workflow,
            job.state,
            `${job.stepsDone}/${job.stepCount}`,
            durationText(Math.max(0, now - Date.parse(paused.since))),
            paused.by,
            paused.why,
          ],
        ],
  )
  return table(head, fitted(head, rows, tableWidth))
}
