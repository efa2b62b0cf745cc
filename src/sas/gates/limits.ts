import { optional, readOptions, wholeNumber } from '../../platform/options.js'
import { personName, reasonText } from '../model/values/said-texts.js'
import { CommandInvalid } from '../model/errors.js'
import type { GateDocument } from '../model/gate-documents.js'
import type { JobQueries } from '../store/job-queries.js'
import { rulesOf } from './gate.js'
import { Gatekeeper, type GatekeeperOptions } from './gatekeeper.js'
import { maxAtOnce, rulesProblems, rulesShape, type LimitRules } from './rules.js'
import { gateAddress, readGate } from './stored-gate.js'

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
  /** The steps at work. */
  readonly inside: readonly { readonly jobId: string; readonly stepId: string }[]
  /** The number of steps that wait for others to end. */
  readonly waiting: number
  /** The groups whose steps wait (`fairBy`), the next one first. */
  readonly groups: readonly { readonly group: string; readonly waiting: number }[]
}

/** Who decides about a limit, and why. Both are kept with the limit. */
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
    return found.map(viewOfGate).sort((one, other) => (one.key < other.key ? -1 : 1))
  }

  /** Returns a limit, or null if no step has come to it for a day. */
  async get(key: string): Promise<LimitView | null> {
    refuse('get', keyProblems(key))
    const gate = await readGate(this.options.store, gateAddress(key))
    return gate === null ? null : viewOfGate(gate)
  }

  /**
   * Sets a limit in place of that of the workflows, until {@link clear}. Steps that wait and have room now begin
   * at once. If more steps are at work than the new limit allows, they end their work. `atOnce: 0` pauses all steps
   * with this key.
   *
   * @throws CommandInvalid if a number is not allowed; nothing was written
   * @throws StoreUnavailable if the store could not be reached; the same call may be repeated
   */
  async set(key: string, rules: LimitRules, options: LimitCommandOptions = {}): Promise<LimitView> {
    const { values, problems } = readOptions(operatorsShape, rules)
    const all = [...keyProblems(key), ...problems, ...(problems.length === 0 ? rulesProblems(values) : [])]
    const { by = 'operator', why = 'set' } = options
    refuse('set', [...all, ...readOptions({ by: personName, why: reasonText }, { by, why }).problems])
    const { atOnce, perSecond, burst } = values
    const at = new Date(this.options.clock.now()).toISOString()
    const numbers = {
      ...(atOnce !== undefined && { atOnce }),
      ...(perSecond !== undefined && { perSecond }),
      ...(burst !== undefined && { burst }),
    }
    return viewOfGate(await this.gates.rule(key, { ...numbers, at, by, why }))
  }

  /**
   * Gives a limit back to the workflows. The definition of the newest job applies again.
   *
   * @throws StoreUnavailable if the store could not be reached; the same call may be repeated
   */
  async clear(key: string): Promise<LimitView> {
    refuse('clear', keyProblems(key))
    return viewOfGate(await this.gates.rule(key, null))
  }
}

function keyProblems(key: unknown): readonly string[] {
  return typeof key === 'string' && key !== '' ? [] : ['the key of a limit must be a text that is not empty']
}

function refuse(call: string, problems: readonly string[]): void {
  if (problems.length > 0) throw new CommandInvalid(`limits.${call}: ${problems.join('; ')}`)
}

/** Returns a gate as it is shown to people. */
function viewOfGate(gate: GateDocument): LimitView {
  const { atOnce = null, perSecond = null, burst = null } = rulesOf(gate)
  const { key, operated, holders, lanes } = gate
  const groups = lanes.map(({ group, first, next }) => ({ group, waiting: next - first }))
  return {
    key,
    atOnce,
    perSecond,
    burst,
    set: operated === null ? null : { by: operated.by, at: operated.at, why: operated.why },
    inside: holders.map(({ jobId, stepId }) => ({ jobId, stepId })),
    waiting: groups.reduce((sum, { waiting }) => sum + waiting, 0),
    groups,
  }
}
