import { limitNote, unknownLimit } from '../../../operations/index.js'
import { counted, withoutUndefined } from '../../../platform/internal.js'
import type { LimitRules, LimitView } from '../../../sas/index.js'
import { isLimitOfJobs } from '../../../sas/internal.js'
import { CliError, exitCodes } from '../../output/cli-error.js'
import { fitted } from '../../output/fitted.js'
import { isSharedLimit } from './names-of-module.js'
import { withClient, withExistingStore } from '../../input/store.js'
import { wholeNumber } from '../../input/whole-number.js'
import type { StoreOptions } from '../../input/store-options.js'
import { table, type Terminal } from '../../output/terminal.js'
import { whoAmI } from '../../input/who-am-i.js'

export interface SetLimitOptions extends StoreOptions {
  readonly atOnce?: string
  readonly perSecond?: string
  readonly burst?: string
  readonly workflows?: string
  readonly why?: string
  readonly by?: string
}

export interface ClearLimitOptions extends StoreOptions {
  readonly by?: string
  readonly why?: string
}

/** The most steps and groups that are listed for one limit. */
const mostListed = 20

/** Prints all limits. */
export async function limits(options: StoreOptions, terminal: Terminal): Promise<number> {
  const found = await withExistingStore({ options, terminal }, (settings) =>
    withClient(settings, (client) => client.limits.list()),
  )
  if (options.json === true) terminal.print(JSON.stringify(found))
  else if (found.length === 0) terminal.print('no step or job has come to a limit today')
  else terminal.print(listed(found, terminal.tableWidth))
  return exitCodes.ok
}

/** Prints one limit. */
export async function showLimit(key: string, options: StoreOptions, terminal: Terminal): Promise<number> {
  const found = await withExistingStore({ options, terminal }, (settings) =>
    withClient(settings, async (client) => {
      const known = await client.limits.get(key)
      if (known !== null) return known
      const [first] = await client.limits.inPartitions(key)
      const advice = first === undefined ? unknownLimit(key) : perPartitionAdvice(key, first)
      throw new CliError(advice, exitCodes.notFound)
    }),
  )
  terminal.print(options.json === true ? JSON.stringify(found) : described(found))
  return exitCodes.ok
}

/** Sets a limit in place of that of the workflows. Numbers that are not named stay. */
export async function setLimit(key: string, options: SetLimitOptions, terminal: Terminal): Promise<number> {
  const { by = whoAmI(), why = 'set' } = options
  const rules = {
    ...(options.atOnce !== undefined && {
      atOnce: wholeNumber('--at-once', options.atOnce, { min: 0, max: 1_000 }),
    }),
    ...(options.perSecond !== undefined && { perSecond: rateOf(options.perSecond) }),
    ...(options.burst !== undefined && {
      burst: wholeNumber('--burst', options.burst, { min: 1, max: 10_000 }),
    }),
  }
  if (Object.keys(rules).length === 0) {
    throw new CliError('name the limit: --at-once, --per-second, or both', exitCodes.usage)
  }
  const { set, note } = await withExistingStore({ options, terminal }, (settings) =>
    withClient(settings, async (client) => {
      const known = await client.limits.get(key)
      const module = { option: options.workflows, configured: settings.module }
      const isDefined = known === null && (await isSharedLimit(key, module))
      const all = { ...numbersOf(known ?? {}), ...rules }
      return {
        set: await client.limits.set(key, all, { by, why }),
        note: isDefined ? null : await limitNote(client, key, known),
      }
    }),
  )
  terminal.print(options.json === true ? JSON.stringify(set) : described(set))
  if (note !== null) terminal.note(`stepward: ${note}`)
  return exitCodes.ok
}

/** Gives a limit back to the workflows. */
export async function clearLimit(
  key: string,
  options: ClearLimitOptions,
  terminal: Terminal,
): Promise<number> {
  const { by = whoAmI(), why = 'cleared' } = options
  const cleared = await withExistingStore({ options, terminal }, (settings) =>
    withClient(settings, async (client) => {
      if ((await client.limits.get(key)) === null) throw new CliError(unknownLimit(key), exitCodes.notFound)
      return client.limits.clear(key, { by, why })
    }),
  )
  terminal.print(options.json === true ? JSON.stringify(cleared) : described(cleared))
  return exitCodes.ok
}

/** Returns the numbers in force, which stay if the command does not name them. */
function numbersOf({ atOnce, perSecond, burst }: Partial<LimitView>): LimitRules {
  return withoutUndefined({
    atOnce: atOnce ?? undefined,
    perSecond: perSecond ?? undefined,
    burst: burst ?? undefined,
  })
}

function rateOf(given: string): number {
  const rate = Number(given)
  if (given.trim() !== '' && rate >= 0.0001 && rate <= 10_000) return rate
  const rule = 'it must be a number from 0.0001 to 10,000'
  throw new CliError(`--per-second ${JSON.stringify(given)}: ${rule}`, exitCodes.usage)
}

function perPartitionAdvice(key: string, first: string): string {
  return `each partition has a limit ${JSON.stringify(key)} of its own: name that of one, as in ${JSON.stringify(first)}`
}

function listed(found: readonly LimitView[], width: number): string {
  const rows = found.map((limit) => [
    limit.key,
    insideText(limit),
    rateText(limit),
    String(limit.waiting),
    limit.set === null ? 'workflow' : limit.set.by,
  ])
  const head = ['LIMIT', 'AT WORK', 'RATE', 'WAITING', 'SET BY']
  return table(head, fitted(head, rows, width))
}

function insideText({ inside, atOnce }: LimitView): string {
  if (atOnce === 0) return inside.length === 0 ? 'paused' : `${inside.length}, paused`
  return atOnce === null ? '-' : `${inside.length} of ${atOnce}`
}

function rateText({ perSecond, burst }: LimitView): string {
  if (perSecond === null) return '-'
  return burst === null ? `${perSecond}/s` : `${perSecond}/s, burst ${burst}`
}

function described(limit: LimitView): string {
  const { key, set, inside, waiting, groups } = limit
  const by = set === null ? 'set by the workflow' : `set by ${set.by} at ${set.at}: ${set.why}`
  const thing = isLimitOfJobs(key) ? 'job' : 'step'
  const names = inside.slice(0, mostListed).map(({ jobId, stepId }) => `  ${jobId} ${stepId}`.trimEnd())
  const named = groups.filter(({ group }) => group !== '').slice(0, mostListed)
  const queues = named.map((group) => `  ${group.group}: ${group.waiting}`)
  return [
    `limit ${key}: at work ${insideText(limit)}, rate ${rateText(limit)}, ${by}`,
    ...(names.length === 0 ? [] : [`${counted(inside.length, thing)} at work:`, ...names]),
    `${counted(waiting, thing)} waiting${queues.length === 0 ? '' : ', by group:'}`,
    ...queues,
  ].join('\n')
}
