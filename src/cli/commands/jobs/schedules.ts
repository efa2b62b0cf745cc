import { systemClock } from '../../../platform/index.js'
import { counted } from '../../../platform/internal.js'
import { ScheduleNotFound, type Schedule, type ScheduleView } from '../../../sas/index.js'
import { CliError, exitCodes } from '../../output/cli-error.js'
import { fitted } from '../../output/fitted.js'
import { instantOf } from '../../../operations/index.js'
import { settingsOf, withClient, withExistingStore } from '../../input/store.js'
import type { StoreOptions } from '../../input/store-options.js'
import { firstOf, table, wrapped, type Terminal } from '../../output/terminal.js'
import { loadUserModule, modulePath } from '../../input/user-module.js'
import { areGiven, partsOf, type GivenParts } from '../../input/schedule-parts.js'
import { whoAmI } from '../../input/who-am-i.js'

export interface ScheduleDecisionOptions extends StoreOptions {
  readonly why?: string
  readonly by?: string
}

export interface DecideScheduleOptions extends ScheduleDecisionOptions {
  /** Confirms that the schedule is deleted. */
  readonly yes?: boolean
}

export interface BackfillCommandOptions extends ScheduleDecisionOptions {
  readonly from: string
  readonly to: string
  readonly dryRun?: boolean
}

export interface SetOptions extends GivenParts, ScheduleDecisionOptions {
  readonly dryRun?: boolean
}

/** Prints all schedules. */
export async function schedules(options: StoreOptions, terminal: Terminal): Promise<number> {
  const found = await withExistingStore({ options, terminal }, (settings) =>
    withClient(settings, (client) => client.schedules.list()),
  )
  if (options.json === true) terminal.print(JSON.stringify(found))
  else if (found.length === 0) terminal.print('there is no schedule')
  else terminal.print(listed(found, terminal.tableWidth))
  return exitCodes.ok
}

/** Stores schedules of a module, or the schedule that the options describe. */
export async function setSchedules(
  id: string | undefined,
  options: SetOptions,
  terminal: Terminal,
): Promise<number> {
  const { module } = await settingsOf(options)
  if (areGiven(options)) return changeSchedule(id, options, module, terminal)
  refuseWithoutParts(options)
  const path = modulePath(options.workflows, module, '--workflows')
  const chosen = chosenOf((await loadUserModule(path)).schedules, id, path)
  const results = await withExistingStore({ options, terminal }, (settings) =>
    withClient(settings, async (client) => {
      const done = []
      for (const schedule of chosen) done.push(await client.schedules.set(schedule))
      return done
    }),
  )
  if (options.json === true) terminal.print(JSON.stringify(results))
  else for (const { change, schedule } of results) terminal.print(`${change} ${schedule.id}${next(schedule)}`)
  return exitCodes.ok
}

/** Creates or changes one schedule. Parts without an option stay. */
async function changeSchedule(
  id: string | undefined,
  options: SetOptions,
  module: string | undefined,
  terminal: Terminal,
): Promise<number> {
  if (id === undefined) {
    throw new CliError('name the schedule: stepward schedule set NAME --cron …', exitCodes.usage)
  }
  const { by = whoAmI(), why = 'set', dryRun = false } = options
  const parts = await partsOf(options, module)
  const set = await withExistingStore({ options, terminal }, (settings) =>
    withClient(settings, (client) => client.schedules.change(id, parts, { by, why, dryRun })),
  )
  const { change, schedule } = set
  const said = dryRun && change !== 'unchanged' ? `would be ${change}` : change
  if (options.json === true) terminal.print(JSON.stringify({ isDryRun: dryRun, ...set }))
  else terminal.print(`schedule ${id} ${said}${next(schedule)}`)
  return exitCodes.ok
}

/** A module has its reasons in its own history, so a reason is not ignored silently. */
function refuseWithoutParts({ why, by, dryRun }: SetOptions): void {
  const given = { '--why': why, '--by': by, '--dry-run': dryRun }
  const names = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  if (names.length === 0) return
  const rule = 'without it, the schedule of the module is stored as it is'
  throw new CliError(
    `${names.join(' and ')} needs a part to change, such as --cron; ${rule}`,
    exitCodes.usage,
  )
}

function chosenOf(known: readonly Schedule[], id: string | undefined, path: string): readonly Schedule[] {
  const chosen = known.filter((schedule) => id === undefined || schedule.id === id)
  if (chosen.length > 0) return chosen
  const names = known.map((schedule) => schedule.id).join(', ')
  const offer = names === '' ? 'exports no schedule: export what defineSchedule(…) returns' : `has ${names}`
  const what = id === undefined ? 'no schedule' : `unknown schedule ${JSON.stringify(id)}`
  throw new CliError(`${what}: ${path} ${offer}`, exitCodes.usage)
}

/** Prints one schedule. */
export async function showSchedule(id: string, options: StoreOptions, terminal: Terminal): Promise<number> {
  const found = await withExistingStore({ options, terminal }, (settings) =>
    withClient(settings, (client) => client.schedules.get(id)),
  )
  if (found === null) throw new ScheduleNotFound(id)
  terminal.print(options.json === true ? JSON.stringify(found) : described(found))
  return exitCodes.ok
}

/** Pauses, resumes or deletes a schedule. */
export async function decideSchedule(
  kind: 'pause' | 'resume' | 'delete',
  id: string,
  options: DecideScheduleOptions,
  terminal: Terminal,
): Promise<number> {
  const { by = whoAmI(), why = past[kind] } = options
  if (kind === 'delete') await confirmedDeletion(id, options, terminal)
  const { schedule, already } = await withExistingStore({ options, terminal }, (settings) =>
    withClient(settings, async (client) => ({
      already: standingText(kind, await client.schedules.get(id)),
      schedule: (await client.schedules[kind](id, { by, why })) ?? null,
    })),
  )
  if (options.json === true) terminal.print(JSON.stringify({ command: kind, id, schedule }))
  else {
    const follows = schedule === null ? '' : next(schedule, already === null && kind === 'resume')
    terminal.print(`schedule ${id} ${already ?? past[kind]}${follows}`)
  }
  return exitCodes.ok
}

/** Says that a schedule is already what the command asks for. Returns null if it is not. */
function standingText(kind: keyof typeof past, schedule: ScheduleView | null): string | null {
  if (schedule === null || kind === 'delete') return null
  const { paused } = schedule
  if (kind === 'resume') return paused === null ? 'is not paused' : null
  if (paused === null) return null
  const { by, since, why } = paused
  // Without a reason, the command stores its own word.
  const reason = why === past.pause ? '' : `: ${why}`
  return `was already paused by ${by} at ${since.slice(0, 19)}Z${reason}`
}

/** A deleted schedule submits no more jobs, so a person confirms it. */
async function confirmedDeletion(
  id: string,
  { yes }: DecideScheduleOptions,
  terminal: Terminal,
): Promise<void> {
  if (yes === true) return
  if (!terminal.isInteractive) {
    const rule = 'a deleted schedule submits no more jobs: pass --yes to confirm'
    throw new CliError(rule, exitCodes.usage)
  }
  if (await terminal.confirm(`This deletes schedule ${id}. Continue?`)) return
  throw new CliError('nothing was done, because you did not confirm it', exitCodes.usage)
}

const past = { pause: 'paused', resume: 'resumed', delete: 'deleted' } as const

/** Submits one job of a schedule. */
export async function triggerSchedule(
  id: string,
  options: ScheduleDecisionOptions,
  terminal: Terminal,
): Promise<number> {
  const { by = whoAmI(), why = 'triggered' } = options
  const jobId = await withExistingStore({ options, terminal }, (settings) =>
    withClient(settings, (client) => client.schedules.trigger(id, { by, why })),
  )
  terminal.print(options.json === true ? JSON.stringify({ jobId }) : `job ${jobId} submitted`)
  return exitCodes.ok
}

/** Submits the ticks of a time in the past. */
export async function backfillSchedule(
  id: string,
  options: BackfillCommandOptions,
  terminal: Terminal,
): Promise<number> {
  const now = systemClock.now()
  const [from, to] = [timeOf('--from', options.from, now), timeOf('--to', options.to, now)]
  if (from > to) {
    const [earliest, latest] = [from.toISOString(), to.toISOString()]
    throw new CliError(
      `--from (${earliest}) is after --to (${latest}): give the earlier time as --from`,
      exitCodes.usage,
    )
  }
  const { by = whoAmI(), why = 'backfill', dryRun = false } = options
  const report = await withExistingStore({ options, terminal }, (settings) =>
    withClient(settings, (client) => client.schedules.backfill(id, { from, to, by, why, dryRun })),
  )
  if (options.json === true) {
    terminal.print(JSON.stringify({ isDryRun: dryRun, ...report }))
    return exitCodes.ok
  }
  const { submitted, existing } = report
  terminal.print(`${counted(submitted.length, 'tick')} ${dryRun ? 'would be submitted' : 'submitted'}`)
  if (submitted.length > 0) terminal.print(wrapped(firstOf(submitted), terminal.width, '  '))
  if (existing.length > 0) terminal.print(`${counted(existing.length, 'tick')} had been submitted before`)
  return exitCodes.ok
}

function timeOf(option: string, given: string, now: number): Date {
  const ms = instantOf(given, now)
  if (ms !== null) return new Date(ms)
  const rule = 'must be an age such as 30m, 2h or 1d, or a date such as 2026-01-31T12:00Z'
  throw new CliError(`${option} ${JSON.stringify(given)} ${rule}`, exitCodes.usage)
}

function listed(found: readonly ScheduleView[], width: number): string {
  const head = ['SCHEDULE', 'WORKFLOW', 'TIMES', 'NEXT', 'SUBMITTED', 'MISSED', 'SKIPPED']
  const rows = found.map((schedule) => [
    schedule.id,
    schedule.workflow,
    timesOf(schedule),
    schedule.paused === null ? (schedule.nextDue?.slice(0, 19) ?? 'never') : 'paused',
    String(schedule.submitted),
    String(schedule.missed),
    String(schedule.skipped),
  ])
  return table(head, fitted(head, rows, width))
}

/** The most decisions of operators that are shown. */
const mostDecisions = 10

function described(schedule: ScheduleView): string {
  const { id, workflow, overlap, catchUpMs, jitterMs, nextDue, last, paused, passed } = schedule
  const isByHand = schedule.audit.some(({ command }) => command === 'trigger' || command === 'backfill')
  const besides = isByHand ? ', besides the jobs that operators submitted' : ''
  const lines = [
    `schedule ${id} submits jobs of ${workflow}, ${timesOf(schedule)}`,
    `overlap ${overlap}, catch up ${lengthText(catchUpMs)}, jitter ${lengthText(jitterMs)}`,
    paused === null
      ? `next tick: ${nextDue ?? 'never'}`
      : `paused since ${paused.since} by ${paused.by}: ${paused.why}`,
    `last tick: ${last === null ? 'none' : `${last.due}, job ${last.jobId}`}`,
    `${schedule.submitted} submitted, ${schedule.missed} missed, ${schedule.skipped} skipped${besides}`,
  ]
  const rows = passed.map(({ reason, from, to, count, message }) => {
    const why = message === '' ? reason : `${reason}: ${message}`
    return `  ${from} to ${to}: ${counted(count, 'tick')} passed over (${why})`
  })
  const decisions = schedule.audit.map(({ command, at, by, why }) => {
    return `  ${at.slice(0, 19)}Z ${command} by ${by}: ${why}`
  })
  const told = decisions.length === 0 ? [] : ['newest decisions:', ...decisions.slice(-mostDecisions)]
  return [...lines, ...rows, ...told].join('\n')
}

function timesOf({ cron, timeZone, everyMs }: ScheduleView): string {
  return cron === null ? `every ${lengthText(everyMs)}` : `${cron} (${timeZone ?? 'UTC'})`
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const

/** Returns a duration as an option accepts it, such as `90m`. */
function lengthText(ms: number | null): string {
  const [name, unitMs] = units.find(([, least]) => (ms ?? 0) > 0 && (ms ?? 0) % least === 0) ?? ['ms', 1]
  return `${(ms ?? 0) / unitMs}${name}`
}

/** Returns when the next tick comes, as the end of a sentence about the schedule. */
function next({ id, nextDue, paused }: ScheduleView, isResumed = false): string {
  if (paused !== null) return `; no tick comes before "stepward schedule resume ${id}"`
  if (nextDue === null) return '; no tick comes again'
  const isOfPause = isResumed && Date.parse(nextDue) <= systemClock.now()
  return isOfPause ? '; the ticks of the pause are skipped' : `; next tick ${nextDue}`
}
