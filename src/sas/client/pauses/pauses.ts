import type { Clock } from '../../../platform/index.js'
import { readOptions, shown } from '../../../platform/options.js'
import { personName, reasonText } from '../../model/values/said-texts.js'
import { CommandInvalid, CommandRefused } from '../../model/errors.js'
import type { PausedWith, PauseEntry, PausesDocument } from '../../model/operator-documents.js'
import {
  isOf,
  noPauses,
  readPauses,
  updatePauses,
  withoutPause,
  withPause,
  type PauseTerms,
} from '../../pauses/stored-pauses.js'
import type { DocumentAddress, StateStore } from '../../store/state-store.js'
import { readJob } from '../../store/update-document.js'
import { defaultOperator } from '../call-arguments.js'

/** The workflow or the agent that is paused or resumed, by its name. */
export type PauseTarget =
  | { readonly workflow: string; readonly agent?: never }
  | { readonly agent: string; readonly workflow?: never }

/** A pause of a workflow or an agent. */
export interface PauseView {
  readonly kind: 'workflow' | 'agent'
  readonly name: string
  /** ISO-8601 UTC. */
  readonly since: string
  readonly by: string
  readonly why: string
}

/** Who pauses or resumes a workflow or an agent. */
export interface PauseCommandOptions {
  /** The name of the operator, kept with the decision. Default `'operator'`. */
  readonly by?: string
  /** Only checks the command, and writes nothing. Default false. */
  readonly dryRun?: boolean
}

interface PausesOptions {
  readonly store: StateStore
  readonly clock: Clock
}

/** Tells the name of a job from a workflow or an agent. */
export function isTarget(what: string | PauseTarget): what is PauseTarget {
  return typeof what === 'object' && (what as unknown) !== null
}

const maxNameLength = 200

/** Pauses workflows and agents, and resumes them. */
export class Pauses {
  /** @internal */
  constructor(private readonly options: PausesOptions) {}

  /** Lists the workflows and agents that are paused, the earliest pause first. */
  async list(): Promise<readonly PauseView[]> {
    const { entries } = (await readPauses(this.options.store)) ?? noPauses()
    return entries
      .filter(({ phase }) => phase === 'on')
      .map(({ kind, name, since, by, why }) => ({ kind, name, since, by, why }))
      .sort((one, other) => Date.parse(one.since) - Date.parse(other.since))
  }

  /** @internal Pauses a workflow or an agent. See `JobClient.pause`. */
  async pause(target: PauseTarget, why: string, options: PauseCommandOptions): Promise<void> {
    const terms = termsOf('pause', target, { ...options, why })
    await this.decide('pause', terms, options, (pauses, now) => withPause(pauses, terms, now))
  }

  /** @internal Resumes a workflow or an agent. See `JobClient.resume`. */
  async resume(target: PauseTarget, options: PauseCommandOptions & { readonly why?: string }): Promise<void> {
    const terms = termsOf('resume', target, { why: 'resumed', ...options })
    await this.decide('resume', terms, options, (pauses, now) => withoutPause(pauses, terms, now))
  }

  /**
   * @internal Refuses to resume one job of a paused workflow or agent, because the job would be paused again.
   * @throws CommandRefused
   */
  async refuseFor(address: DocumentAddress): Promise<void> {
    const { store } = this.options
    const job = await readJob(store, address)
    if (!job?.paused || !job.pausedWith) return
    const entry = (await readPauses(store))?.entries.find(isOf(job.pausedWith))
    if (entry?.phase !== 'on') return
    const [{ jobId }, named] = [job, nameOf(entry)]
    throw new CommandRefused(jobId, `job ${jobId} is paused with ${named}, so resume the ${entry.kind}`)
  }

  private async decide(
    command: 'pause' | 'resume',
    terms: PauseTerms,
    { dryRun = false }: PauseCommandOptions,
    change: (pauses: PausesDocument, now: number) => PausesDocument | null,
  ): Promise<void> {
    const { store, clock } = this.options
    let tried: PausesDocument | null = null
    let known = noPauses()
    const decide = (pauses: PausesDocument): PausesDocument | null => {
      known = pauses
      const after = change(pauses, clock.now())
      if (after === null || dryRun) return null
      tried = after
      return after
    }
    const written = await updatePauses(store, decide)
    const before = known
    if (written === null && change(before, clock.now()) === null && !hasDecision(before, tried)) {
      throw new CommandRefused(terms.name, refusalOf(command, terms, before.entries))
    }
  }
}

/** Checks whether an earlier try, whose answer was lost, has made the decision. */
function hasDecision({ audit }: PausesDocument, tried: PausesDocument | null): boolean {
  const ours = tried?.audit.at(-1)
  return audit.some(({ at, by, command, kind, name }) => {
    return (
      at === ours?.at &&
      by === ours.by &&
      command === ours.command &&
      kind === ours.kind &&
      name === ours.name
    )
  })
}

function refusalOf(command: 'pause' | 'resume', terms: PausedWith, entries: readonly PauseEntry[]): string {
  const known = entries.find((entry) => isOf(terms)(entry) && entry.phase === 'on')
  if (command === 'resume' || known === undefined) return `${nameOf(terms)} is not paused`
  return `${nameOf(terms)} was already paused by ${known.by} at ${known.since}`
}

function nameOf({ kind, name }: PausedWith): string {
  return `${kind} ${name}`
}

/** @throws CommandInvalid that lists what is wrong */
function termsOf(
  call: string,
  target: PauseTarget,
  { by = defaultOperator, why }: { readonly by?: string; readonly why: string },
): PauseTerms {
  const given = target as { readonly workflow?: unknown; readonly agent?: unknown }
  const kinds = (['workflow', 'agent'] as const).filter((kind) => given[kind] !== undefined)
  const [kind = 'workflow'] = kinds
  const name = given[kind]
  const isName = typeof name === 'string' && name !== '' && name.length <= maxNameLength
  const problems = [
    ...(kinds.length === 1 ? [] : ['name a workflow or an agent, as { workflow: NAME } or { agent: NAME }']),
    ...(isName ? [] : [`the name is ${shown(name)}; it must be a text of 1 to ${maxNameLength} characters`]),
    ...readOptions({ by: personName, why: reasonText }, { by, why }).problems,
  ]
  if (problems.length > 0 || !isName) throw new CommandInvalid(`${call}: ${problems.join('; ')}`)
  return { kind, name, by, why }
}
