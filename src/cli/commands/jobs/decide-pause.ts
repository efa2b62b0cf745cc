import {
  isUnknownName,
  limitNote,
  unknownLimit,
  unknownText,
  type UnitSelection,
} from '../../../operations/index.js'
import { CommandRefused, type JobClient, type JobSummary } from '../../../sas/index.js'
import { CliError, exitCodes } from '../../output/cli-error.js'
import { isNameOfModule, isSharedLimit, type NamingModule } from './names-of-module.js'

/** What can be paused. */
type PauseKind = 'job' | 'workflow' | 'agent' | 'key'

export interface PauseTerms {
  readonly kind: 'pause' | 'resume'
  readonly what: PauseKind
  readonly name: string
  readonly by: string
  readonly why: string
  readonly dryRun: boolean
  readonly module: NamingModule
}

/** What came of a pause or a resumption. */
export interface DecidedPause {
  /** Says that nothing was to do, because what was asked for is so already. Null if the command changed it. */
  readonly already: string | null
  /** What the operator should know besides, or null. */
  readonly note: string | null
}

export function isPauseKind(what: string): what is PauseKind {
  return ['job', 'workflow', 'agent', 'key'].includes(what)
}

/** Pauses or resumes. A second pause and a second resumption change nothing, and are no errors. */
export async function decidedPause(
  client: JobClient,
  settings: UnitSelection,
  terms: PauseTerms,
): Promise<DecidedPause> {
  const { kind, what, name } = terms
  if (what === 'key') return decideKey(client, terms)
  try {
    await decide(client, terms)
  } catch (error) {
    const already = error instanceof CommandRefused ? await standingOf(client, terms) : null
    if (already === null) throw error
    if (kind === 'resume' && (await isUnknownName(client, settings, terms)))
      throw new CliError(unknownText(what, name), exitCodes.notFound, { cause: error })
    return { already, note: null }
  }
  // The pause is made, so an error here changes nothing.
  const isUnknown =
    kind === 'pause' &&
    (await isUnknownName(client, settings, terms).catch(() => false)) &&
    !(await isNameOfModule(terms, terms.module).catch(() => false))
  return { already: null, note: isUnknown ? unknownText(what, name) : null }
}

async function decide(client: JobClient, { kind, what, name, by, why, dryRun }: PauseTerms): Promise<void> {
  const target = what === 'job' ? name : what === 'workflow' ? { workflow: name } : { agent: name }
  if (kind === 'pause') await client.pause(target, why, { by, dryRun })
  else await client.resume(target, { by, why, dryRun })
}

/**
 * Lets no step with a limit of this key begin, or restores the limit. A key may be paused before its first use, so only
 * `resume` refuses a key that no limit has.
 */
async function decideKey(
  client: JobClient,
  { kind, name, by, why, dryRun, module }: PauseTerms,
): Promise<DecidedPause> {
  if (kind === 'pause') await client.limits.check('pause', name)
  const limit = await client.limits.get(name)
  if (limit === null && kind === 'resume') throw new CliError(unknownLimit(name), exitCodes.notFound)
  const isDefined = limit === null && (await isSharedLimit(name, module))
  const { atOnce = null, set = null } = limit ?? {}
  const paused = atOnce === 0 && set !== null ? { ...set, since: set.at } : null
  const already = standingText(kind, `key ${name}`, paused)
  if (already === null && !dryRun) await client.limits[kind](name, { by, why })
  const note = kind === 'pause' && !isDefined ? await limitNote(client, name, limit) : null
  return { already, note }
}

/** Says that a job, a workflow or an agent is already what the command asks for. Returns null if it is not. */
async function standingOf(client: JobClient, { kind, what, name }: PauseTerms): Promise<string | null> {
  const paused =
    what === 'job'
      ? (await (await client.get(name))?.view())?.paused
      : (await client.pauses.list()).find((each) => each.kind === what && each.name === name)
  return standingText(kind, `${what} ${name}`, paused ?? null)
}

type Pause = NonNullable<JobSummary['paused']>

function standingText(kind: PauseTerms['kind'], subject: string, paused: Pause | null): string | null {
  if (kind === 'resume')
    return paused === null ? `${subject} is not paused, so there is nothing to resume` : null
  if (paused === null) return null
  const { by, since, why, with: target } = paused
  const together = target === undefined ? '' : ` with ${target.kind} ${target.name}`
  return `${subject} was already paused${together} by ${by} at ${since.slice(0, 19)}Z: ${why}`
}
