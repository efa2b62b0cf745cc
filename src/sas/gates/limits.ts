import { counted } from '../../platform/internal.js'
import { optional, readOptions, shown, wholeNumber } from '../../platform/options.js'
import { personName, reasonText } from '../model/values/said-texts.js'
import { CommandInvalid, CommandRefused } from '../model/errors.js'
import type { GateDocument, LimitDecision } from '../model/gate-documents.js'
import type { JobQueries } from '../store/job-queries.js'
import { rulesOf } from './rules-in-force.js'
import { beginningInPartitions, gateAddress, homeOf, isLimitOfJobs, jobKeyPrefix } from './home.js'
import { maxKeyLength } from './pass.js'
import { Gatekeeper, type GatekeeperOptions } from './gatekeeper.js'
import { maxAtOnce, maxAtOnceInPartition, rulesProblems, rulesShape, type LimitRules } from './rules.js'
import { readGate } from './stored-gate.js'

/** A limit that steps share, and the steps that are inside it or wait. */
export interface LimitView {
  readonly key: string
  /** The largest number of steps at work at once. Null if there is no such limit. */
  readonly atOnce: number | null
  /** The largest number of attempts that begin in a second, on average. Null if there is no such limit. */
  readonly perSecond: number | null
  readonly burst: number | null
  /** The operator who has set the limit. Null if the limit is that of the workflow. */
  readonly set: { readonly by: string; readonly at: string; readonly why: string } | null
  /** Whether an operator has paused the key. A paused key cannot be set. */
  readonly isPaused: boolean
  /** The steps at work. `stepId` is empty if the limit is one of jobs. */
  readonly inside: readonly { readonly jobId: string; readonly stepId: string }[]
  /** The number of steps that wait for others to end. */
  readonly waiting: number
  /** The groups whose steps wait (`fairBy`), the next one first. */
  readonly groups: readonly { readonly group: string; readonly waiting: number }[]
}

/** A key that an operator has paused: no step or job with this key begins. */
export interface PausedKey {
  readonly kind: 'key'
  readonly name: string
  readonly since: string
  readonly by: string
  readonly why: string
}

/** Who decides about a limit, and why. Both are kept, and `stepward audit` shows them. */
export interface LimitCommandOptions {
  /** The name of the operator. Default `'operator'`. */
  readonly by?: string
  readonly why?: string
}

export interface LimitsOptions extends GatekeeperOptions {
  readonly queries: Pick<JobQueries, 'listGates'>
}

/** An operator may also let no step begin. */
const operatorsShape = { ...rulesShape, atOnce: optional(wholeNumber(0, maxAtOnce)) }

/** Reads the limits of steps, and changes them while jobs wait. */
export class Limits {
  private readonly gates: Gatekeeper

  /** @internal */
  constructor(private readonly options: LimitsOptions) {
    this.gates = new Gatekeeper(options)
  }

  /** Lists the limits to which steps have come, by key. A limit that no step used for a day is left out. */
  async list(): Promise<readonly LimitView[]> {
    const found = await this.options.queries.listGates()
    return found
      .filter(isInUse)
      .map(viewOfGate)
      .sort((one, other) => (one.key < other.key ? -1 : 1))
  }

  /** Returns a limit, or null if no step has come to it for a day. */
  async get(key: string): Promise<LimitView | null> {
    refuse('get', keyProblems(key))
    const gate = await readGate(this.options.store, gateAddress(key))
    return gate === null || !isInUse(gate) ? null : viewOfGate(gate)
  }

  /** Lists the keys that operators have paused. */
  async listPaused(): Promise<readonly PausedKey[]> {
    return (await this.list()).flatMap(({ key: name, atOnce, set }) =>
      atOnce === 0 && set !== null
        ? [{ kind: 'key' as const, name, since: set.at, by: set.by, why: set.why }]
        : [],
    )
  }

  /**
   * @internal Returns the keys of the limits of single partitions whose definition has this key, by key. A decision
   * about the key itself does not concern them.
   */
  async inPartitions(key: string): Promise<readonly string[]> {
    const beginning = beginningInPartitions(key)
    return (await this.list()).flatMap((limit) => (limit.key.startsWith(beginning) ? [limit.key] : []))
  }

  /**
   * Sets a limit in place of that of the workflows, until {@link clear}. Steps that wait and have room now begin
   * at once. If more steps are at work than the new limit allows, they end their work. `atOnce: 0` lets no step with
   * this key begin.
   *
   * @throws CommandInvalid if a number is not allowed, or only single partitions have this limit; nothing was written
   * @throws CommandRefused if the key is paused; nothing was written
   * @throws StoreUnavailable if the store could not be reached; the same call may be repeated
   */
  async set(key: string, rules: LimitRules, options: LimitCommandOptions = {}): Promise<LimitView> {
    const { values, problems } = readOptions(operatorsShape, rules)
    const ofRules =
      problems.length === 0
        ? [...rulesProblems(values), ...rateProblems(key, values), ...sizeProblems(key, values)]
        : problems
    refuse('set', [...keyProblems(key), ...ofRules])
    const before = (await this.shared('set', key))?.operated
    if (before?.before !== undefined) {
      const paused = `limit ${JSON.stringify(key)} was paused by ${before.by} at ${before.at}`
      throw new CommandRefused(key, `${paused}: resume it first, and then set it`)
    }
    const { atOnce, perSecond, burst } = values
    const numbers = {
      ...(atOnce !== undefined && { atOnce }),
      ...(perSecond !== undefined && { perSecond }),
      ...(burst !== undefined && { burst }),
    }
    return this.decided(key, 'set', { ...numbers, ...this.terms('set', options) })
  }

  /**
   * Gives a limit back to the workflows. The definition of the newest job applies again. A pause of the key ends. The
   * decision is kept, with its operator and its reason (default `'cleared'`).
   *
   * @throws CommandInvalid if no step or job has come to the limit for a day and no operator has set it
   * @throws StoreUnavailable if the store could not be reached; the same call may be repeated
   */
  async clear(key: string, options: LimitCommandOptions = {}): Promise<LimitView> {
    const terms = this.terms('clear', options)
    await this.known('clear', key)
    return this.decided(key, 'clear', terms)
  }

  /**
   * Lets no step with this key begin, until {@link resume}. Steps at work go on. A key may be paused before a step
   * has come to it. If an operator has set the limit before, `resume` restores what was set.
   *
   * @throws CommandInvalid if only single partitions have this limit; nothing was written
   * @throws CommandRefused if the key is paused already; nothing was written
   * @throws StoreUnavailable if the store could not be reached; the same call may be repeated
   */
  async pause(key: string, options: LimitCommandOptions = {}): Promise<LimitView> {
    refuse('pause', keyProblems(key))
    const terms = this.terms('pause', options)
    const before = (await this.shared('pause', key))?.operated ?? null
    if (before?.atOnce === 0)
      throw new CommandRefused(
        key,
        `limit ${JSON.stringify(key)} was paused by ${before.by} at ${before.at}; resume it to end this pause`,
      )
    return this.decided(key, 'pause', { atOnce: 0, ...terms })
  }

  /**
   * Ends the pause of a key. The limit is again what it was before: that of an operator, or that of the workflows.
   *
   * @throws CommandInvalid if no step or job has come to the limit; nothing was written
   * @throws CommandRefused if the key is not paused; nothing was written
   * @throws StoreUnavailable if the store could not be reached; the same call may be repeated
   */
  async resume(key: string, options: LimitCommandOptions = {}): Promise<LimitView> {
    const terms = this.terms('resume', options)
    const { operated } = await this.known('resume', key)
    if (operated?.atOnce !== 0)
      throw new CommandRefused(
        key,
        `limit ${JSON.stringify(key)} is not paused, so there is nothing to resume`,
      )
    return this.decided(key, 'resume', terms)
  }

  private async decided(
    key: string,
    command: LimitDecision['command'],
    terms: Omit<LimitDecision, 'command'>,
  ): Promise<LimitView> {
    return viewOfGate(await this.gates.decide(key, { command, ...terms }))
  }

  /**
   * @internal Checks a key before a decision of an operator about it.
   * @throws CommandInvalid if only single partitions have this limit
   */
  async check(call: 'set' | 'pause', key: string): Promise<void> {
    refuse(call, keyProblems(key))
    await this.shared(call, key)
  }

  /**
   * Reads the gate of a key. Refuses a key to which no step comes because each partition has a limit of its own. The
   * decision would have no effect, although an operator relies on it.
   */
  private async shared(call: string, key: string): Promise<GateDocument | null> {
    const gate = await readGate(this.options.store, gateAddress(key))
    if (gate === null || gate.rulesOfMs === 0)
      refuse(call, inPartitionsProblems(key, await this.inPartitions(key)))
    return gate
  }

  private async known(call: string, key: string): Promise<GateDocument> {
    refuse(call, keyProblems(key))
    const gate = await readGate(this.options.store, gateAddress(key))
    if (gate !== null && isInUse(gate)) return gate
    const rule = `no step or job has come to limit ${JSON.stringify(key)} today, and no operator has set it; check the key`
    throw new CommandInvalid(`limits.${call}: ${rule}`)
  }

  private terms(
    command: LimitDecision['command'],
    { by = 'operator', why = usualReasons[command] }: LimitCommandOptions,
  ) {
    refuse(command, readOptions({ by: personName, why: reasonText }, { by, why }).problems)
    return { at: new Date(this.options.clock.now()).toISOString(), by, why }
  }
}

/** The reason of a decision for which the operator gives none. */
const usualReasons = { set: 'set', clear: 'cleared', pause: 'paused', resume: 'resumed' }

function keyProblems(key: unknown): readonly string[] {
  // The key of a limit of one partition also has the partition key.
  const most = typeof key === 'string' && homeOf(key) !== null ? Infinity : maxKeyLength + jobKeyPrefix.length
  const isText = typeof key === 'string' && key !== '' && key !== jobKeyPrefix && key.length <= most
  const ofJobs = key === jobKeyPrefix ? `, with something after ${jobKeyPrefix}` : ''
  const rule = `it must be a text of 1 to ${maxKeyLength} characters${ofJobs}`
  return isText ? [] : [`the key of a limit is ${shown(key)}; ${rule}`]
}

/** Checks whether an operator has set this limit or a step has come to it. It may have been cleared before its first use. */
function isInUse({ operated, rulesOfMs }: GateDocument): boolean {
  return operated !== null || rulesOfMs > 0
}

function inPartitionsProblems(key: string, keys: readonly string[]): readonly string[] {
  const [first] = keys
  if (first === undefined) return []
  return [
    `each partition has a limit ${JSON.stringify(key)} of its own, so the key alone would change nothing: ` +
      `name the limit of one partition, as in ${JSON.stringify(first)} (of ${counted(keys.length, 'partition')}); ` +
      'to stop the work of all partitions, pause the agent or the workflow',
  ]
}

/** A job that comes to a limit without a number of jobs at once would enter without a place. */
function rateProblems(key: unknown, { perSecond }: { readonly perSecond: unknown }): readonly string[] {
  const isOfJobs = typeof key === 'string' && isLimitOfJobs(key)
  if (!isOfJobs || perSecond === undefined) return []
  return [`limit ${JSON.stringify(key)} is one of jobs, so it has atOnce and no perSecond`]
}

/** A limit of one partition is part of the transactions of its jobs, so it must stay small. */
function sizeProblems(
  key: unknown,
  { atOnce = 0 }: { readonly atOnce: number | undefined },
): readonly string[] {
  const isSmall = typeof key !== 'string' || homeOf(key) === null || atOnce <= maxAtOnceInPartition
  return isSmall ? [] : [`a limit of one partition lets at most ${maxAtOnceInPartition} in at once`]
}

function refuse(call: string, problems: readonly string[]): void {
  if (problems.length > 0) throw new CommandInvalid(`limits.${call}: ${problems.join('; ')}`)
}

/** Returns a gate as it is shown to people. */
function viewOfGate(gate: GateDocument): LimitView {
  const { atOnce = null, perSecond = null, burst = null } = rulesOf(gate)
  const { key, operated, holders, lanes } = gate
  const waiting = new Map<string, number>()
  for (const { group, first, next } of lanes) waiting.set(group, (waiting.get(group) ?? 0) + next - first)
  const groups = [...waiting].map(([group, steps]) => ({ group, waiting: steps }))
  return {
    key,
    atOnce,
    perSecond,
    burst,
    set: operated === null ? null : { by: operated.by, at: operated.at, why: operated.why },
    isPaused: operated?.before !== undefined,
    inside: holders.map(({ jobId, stepId }) => ({ jobId, stepId })),
    waiting: groups.reduce((sum, each) => sum + each.waiting, 0),
    groups,
  }
}
