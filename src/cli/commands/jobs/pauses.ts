import { systemClock } from '../../../platform/index.js'
import type { JobSummary, PausedKey, PauseView } from '../../../sas/index.js'
import { withClient, withExistingStore } from '../../input/store.js'
import type { StoreOptions } from '../../input/store-options.js'
import { decidedPause, isPauseKind } from './decide-pause.js'
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
  readonly workflows?: string
}

export interface PausesOptions extends StoreOptions {
  readonly limit: string
}

/** The largest number of jobs in a list. It is more than a person reads. */
const mostListed = 10_000

const past = { pause: 'paused', resume: 'resumed' } as const

/** Pauses or resumes a job, a workflow, an agent or a key. */
export async function decidePause(
  kind: keyof typeof past,
  { what, name }: { readonly what: string; readonly name: string },
  options: PauseOptions,
  terminal: Terminal,
): Promise<number> {
  if (!isPauseKind(what)) {
    const rule = `${kind} job ID, ${kind} workflow NAME, ${kind} agent NAME, or ${kind} key NAME for all steps with a limit`
    throw new CliError(`${kind} ${what}: this cannot be ${past[kind]}: ${rule}`, exitCodes.usage)
  }
  const { by = whoAmI(), dryRun = false } = options
  const { why = kind === 'resume' || dryRun ? past[kind] : undefined } = options
  if (why === undefined)
    throw new CliError('pass --why TEXT, the reason: it is stored with the decision', exitCodes.usage)
  const { already, note } = await withExistingStore({ options, terminal }, (settings) =>
    withClient(settings, (client) => {
      const module = { option: options.workflows, configured: settings.module }
      return decidedPause(client, settings, { kind, what, name, by, why, dryRun, module })
    }),
  )
  const subject = what === 'job' ? { jobId: name } : { [what]: name }
  const isChanged = already === null
  if (options.json === true) {
    const said = already ?? note
    const noted = said === null ? {} : { note: said }
    terminal.print(
      JSON.stringify({ command: kind, ...subject, by, why, isDryRun: dryRun, isChanged, ...noted }),
    )
  } else terminal.print(already ?? `${what} ${name} ${dryRun ? 'would be' : 'is'} ${past[kind]}`)
  if (note !== null) terminal.note(`stepward: ${note}`)
  if (isChanged && !dryRun && kind === 'pause' && (what === 'workflow' || what === 'agent')) {
    terminal.note('no attempt is dispatched later than 30 s from now')
  }
  return exitCodes.ok
}

/** Lists the paused workflows, agents and keys, and the paused jobs with the newest submission first. */
export async function pauses(options: PausesOptions, terminal: Terminal): Promise<number> {
  const limit = wholeNumber('--limit', options.limit, { min: 1, max: mostListed })
  const { found, targets } = await withExistingStore({ options, terminal }, (settings) =>
    withClient(settings, async (client) => ({
      targets: [...(await client.pauses.list()), ...(await client.limits.listPaused())],
      found: await client.list({ isPaused: true, limit: limit + 1 }),
    })),
  )
  const jobs = found.slice(0, limit)
  if (options.json === true) terminal.print(JSON.stringify({ paused: targets, jobs }))
  else if (jobs.length + targets.length === 0) terminal.print('nothing is paused')
  else {
    if (targets.length > 0) terminal.print(describeTargets(targets, terminal))
    if (jobs.length > 0) terminal.print(describe(jobs, terminal))
  }
  if (found.length > limit) terminal.note('there are more paused jobs: pass a larger --limit')
  return exitCodes.ok
}

function describeTargets(
  targets: readonly (PauseView | PausedKey)[],
  { tableWidth }: Pick<Terminal, 'tableWidth'>,
): string {
  const now = systemClock.now()
  const head = ['PAUSED', 'NAME', 'FOR', 'BY', 'WHY']
  const rows = targets.map(({ kind, name, since, by, why }) => {
    return [kind, name, durationText(Math.max(0, now - Date.parse(since))), by, why]
  })
  return table(head, fitted(head, rows, tableWidth))
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
            paused.with === undefined ? paused.why : `${paused.with.kind} ${paused.with.name}: ${paused.why}`,
          ],
        ],
  )
  return table(head, fitted(head, rows, tableWidth))
}
