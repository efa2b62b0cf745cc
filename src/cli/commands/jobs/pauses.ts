import { systemClock } from '../../../platform/index.js'
import { runningAgents, type UnitSelection } from '../../../operations/index.js'
import type { JobClient, JobSummary, PausedKey, PauseView } from '../../../sas/index.js'
import { withClient, withExistingStore } from '../../input/store.js'
import type { StoreOptions } from '../../input/store-options.js'
import { unknownLimit } from './limits.js'
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

const decisions = { job: decideJob, key: decideKey, workflow: decideTarget, agent: decideTarget }

/** Pauses or resumes a job, a workflow, an agent or a key. */
export async function decidePause(
  kind: keyof typeof past,
  { what, name }: { readonly what: string; readonly name: string },
  options: PauseOptions,
  terminal: Terminal,
): Promise<number> {
  if (!isKnown(what)) {
    const rule = `${kind} job ID, ${kind} workflow NAME, ${kind} agent NAME, or ${kind} key NAME for all steps with a limit`
    throw new CliError(`${kind} ${what}: this cannot be ${past[kind]}: ${rule}`, exitCodes.usage)
  }
  const { by = whoAmI(), why = kind === 'resume' ? past[kind] : undefined, dryRun = false } = options
  if (why === undefined)
    throw new CliError('pass --why TEXT, the reason: it is stored with the decision', exitCodes.usage)
  const advice = await withExistingStore({ options, terminal }, (settings) =>
    withClient(settings, async (client) => {
      const said = await decisions[what](client, { kind, what, name, by, why, dryRun })
      if (kind !== 'pause' || typeof said === 'string') return said
      // The pause is made, so an error here changes nothing.
      const isUnknown = await isUnknownName(client, settings, { what, name }).catch(() => false)
      return isUnknown ? `stepward: ${unknownText(what, name)}` : undefined
    }),
  )
  const subject = what === 'job' ? { jobId: name } : { [what]: name }
  if (options.json === true)
    terminal.print(
      JSON.stringify({ command: kind, ...subject, by, why, isDryRun: dryRun, ...noteOf(advice) }),
    )
  else terminal.print(`${what} ${name} ${dryRun ? 'would be' : 'is'} ${past[kind]}`)
  if (typeof advice === 'string') terminal.note(advice)
  if (!dryRun && kind === 'pause' && (what === 'workflow' || what === 'agent')) {
    terminal.note('no attempt is dispatched later than 30 s from now')
  }
  return exitCodes.ok
}

function noteOf(advice: unknown): { readonly note?: string } {
  return typeof advice === 'string' ? { note: advice } : {}
}

/** Checks whether a workflow has no job, or an agent is in no running instance, so that its name may be wrong. */
async function isUnknownName(
  client: JobClient,
  settings: UnitSelection,
  { what, name }: { readonly what: string; readonly name: string },
): Promise<boolean> {
  if (what === 'workflow') return (await client.list({ workflow: name, limit: 1 })).length === 0
  return what === 'agent' && (await runningAgents(settings))?.has(name) === false
}

function unknownText(what: string, name: string): string {
  const found = what === 'agent' ? 'no running instance has agent' : 'there is no job of workflow'
  return `${found} ${JSON.stringify(name)} yet: check the name`
}

function isKnown(what: string): what is keyof typeof decisions {
  return Object.hasOwn(decisions, what)
}

interface Terms {
  readonly kind: keyof typeof past
  readonly what: string
  readonly name: string
  readonly by: string
  readonly why: string
  readonly dryRun: boolean
}

async function decideJob(client: JobClient, { kind, name, by, why, dryRun }: Terms): Promise<void> {
  if (kind === 'pause') await client.pause(name, why, { by, dryRun })
  else await client.resume(name, { by, why, dryRun })
}

async function decideTarget(client: JobClient, { kind, what, name, by, why, dryRun }: Terms): Promise<void> {
  const target = what === 'workflow' ? { workflow: name } : { agent: name }
  if (kind === 'pause') await client.pause(target, why, { by, dryRun })
  else await client.resume(target, { by, why, dryRun })
}

/**
 * Lets no step with a limit of this key begin, or restores the limit. Returns what the operator should know. A key
 * may be paused before its first use, so a key that no limit has is not an error, but it may be misspelt.
 */
async function decideKey(
  client: JobClient,
  { kind, name, by, why, dryRun }: Terms,
): Promise<string | undefined> {
  const isKnown = (await client.limits.get(name)) !== null
  if (kind === 'pause') {
    if (!dryRun) await client.limits.pause(name, { by, why })
    return isKnown ? undefined : unknownLimit(name)
  }
  if (!dryRun) await client.limits.resume(name, { by, why })
  else if (!isKnown) throw new CliError(unknownLimit(name), exitCodes.failed)
  return undefined
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
