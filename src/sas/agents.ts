import { setMaxListeners } from 'node:events'
import type { Change, ChangeFeedContext } from '../change-feed-processor/index.js'
import { retry, type Clock, type Random } from '../platform/index.js'
import type { Telemetry } from '../telemetry/index.js'
import { definitionOf, type Agent, type AgentDefinition } from './agent.js'
import { makeAttempt } from './attempt.js'
import { claim, isUnclaimed } from './claim.js'
import { decodeDocument, type StepDocument } from './documents.js'
import { StoreUnavailable } from './errors.js'
import { RecentDocuments } from './recent-documents.js'
import { isOpen, settle, type Outcome } from './settle.js'
import { Slots } from './slots.js'
import type { StateStore, Stored } from './state-store.js'
import { readStep, updateDocument } from './update-document.js'
import { workOf } from './work.js'

/** What an agents instance works with. */
export interface AgentsOptions {
  readonly store: StateStore
  readonly agents: readonly Agent[]
  readonly instanceName: string
  /** Handlers that run at once in this instance. Default 16. */
  readonly slots?: number
  readonly clock: Clock
  readonly random: Random
  readonly telemetry: Telemetry
}

/** Steps remembered as settled here; the feed may still bring them as they were. */
const rememberedSteps = 10_000

/**
 * The delegate of the agents unit: every open step that names one of its agents gets a slot and is run. The feed's
 * checkpoint does not wait for the handler: from there on the step's deadline remembers the work, not the lease. While
 * a step has no slot the delegate waits, and so the feed does.
 */
export class Agents {
  private readonly definitions: ReadonlyMap<string, AgentDefinition>
  private readonly slots: Slots
  private readonly running = new Map<string, Promise<void>>()
  private readonly settled = new RecentDocuments<StepDocument>(rememberedSteps)
  private stopping: AbortController

  constructor(private readonly options: AgentsOptions) {
    this.definitions = new Map(options.agents.map(definitionOf).map((agent) => [agent.name, agent]))
    const limits = [...this.definitions.values()].flatMap(({ name, slots }) =>
      slots === null ? [] : [[name, slots] as const],
    )
    this.slots = new Slots(options.slots ?? 16, new Map(limits))
    this.stopping = this.newStopping()
  }

  /** Resolves when every open step of these changes has been started; rejects when interrupted before that. */
  async onChanges(changes: readonly Change[], context: Pick<ChangeFeedContext, 'signal'>): Promise<void> {
    const steps = changes.flatMap((change) => {
      const decoded = decodeDocument(change)
      if (decoded.kind !== 'step' || decoded.step.kind !== 'operation') return []
      return [{ ...decoded.step, _etag: change._etag, _ts: change._ts }]
    })
    // Side by side: one agent that has all its slots in use does not keep the others of the page from theirs.
    const urgentFirst = steps.sort((a, b) => b.priority - a.priority)
    const offers = urgentFirst.map((step) => this.offer(step, context.signal))
    const refused = (await Promise.allSettled(offers)).find((offer) => offer.status === 'rejected')
    if (refused !== undefined) throw refused.reason
  }

  /** Waits for running handlers up to `budgetMs`, then aborts them and forgets them: their deadlines speak for them. */
  async stop(budgetMs: number): Promise<void> {
    const timer = this.options.clock.schedule(budgetMs, () => this.stopping.abort())
    await Promise.all(this.running.values())
    timer.cancel()
    this.stopping = this.newStopping()
  }

  /** Every running handler listens, so the warning about many listeners would be a false alarm. */
  private newStopping(): AbortController {
    const stopping = new AbortController()
    setMaxListeners(0, stopping.signal)
    return stopping
  }

  private async offer(step: Stored<StepDocument>, signal: AbortSignal): Promise<void> {
    if (!isOpen(step, this.options.clock.now()) || this.isKnown(step)) return
    if (step.isClaimRequired && !isUnclaimed(step)) return
    const agent = this.definitions.get(workOf(step).actor)
    if (agent === undefined) {
      const reason = `this instance has no agent ${JSON.stringify(workOf(step).actor)}`
      this.options.telemetry.emit({ type: 'document.refused', id: step.id, reason })
      return
    }
    if (!(await this.slots.take(signal, { agent: agent.name, priority: step.priority }))) {
      throw new Error(`stopped or lost the lease before step ${step.id} found a free slot`)
    }
    // Delivered twice, it may have waited twice.
    if (this.isKnown(step)) {
      this.slots.release(agent.name)
      return
    }
    const key = attemptKeyOf(step)
    const work = this.work(step, agent).finally(() => {
      this.slots.release(agent.name)
      this.running.delete(key)
    })
    this.running.set(key, work)
  }

  /** Whether this attempt is being made here, or was made and its outcome recorded. */
  private isKnown(step: Stored<StepDocument>): boolean {
    const settled = this.settled.get(step)
    return this.running.has(attemptKeyOf(step)) || (settled !== undefined && settled.fence >= step.fence)
  }

  /** One attempt and the record of its outcome. Never rejects: what could not be recorded is a deadline that passes. */
  private async work(offered: Stored<StepDocument>, agent: AgentDefinition): Promise<void> {
    const { clock, telemetry } = this.options
    const { jobId, workflow, stepId, attempt } = offered
    const about = { jobId, workflow, stepId, attempt }
    try {
      // Waiting for a slot took time: the attempt may be over before it began.
      if (!isOpen(offered, clock.now())) return
      const step = offered.isClaimRequired ? await this.claimed(offered) : offered
      if (step === null) return
      telemetry.emit({ type: 'step.started', ...about })
      const handler = agent.handlers.get(workOf(step).action)
      const outcome: Outcome | null =
        handler === undefined
          ? {
              kind: 'failed',
              message: `agent ${agent.name} has no operation ${JSON.stringify(workOf(step).action)} here`,
            }
          : await makeAttempt({ step, handler, clock, stopping: this.stopping.signal })
      if (outcome === null) {
        telemetry.emit({
          type: 'outcome.discarded',
          reason: 'not done before the deadline or the stop',
          ...about,
        })
        return
      }
      await this.record(step, outcome)
    } catch (error) {
      telemetry.emit({
        type: 'outcome.discarded',
        reason: 'its claim or its outcome could not be recorded',
        error,
        ...about,
      })
    }
  }

  /** W2: the step with our claim on it; null when the attempt is another's, or over. */
  private async claimed(step: Stored<StepDocument>): Promise<Stored<StepDocument> | null> {
    const { store, clock, random, instanceName } = this.options
    const attempt = { fence: step.fence, by: instanceName, token: random.id() }
    const from = { address: step, known: step, read: readStep }
    const update = await updateDocument(store, from, (current) => {
      const claiming = claim(current, attempt, clock.now())
      return {
        write: claiming.kind === 'write' ? claiming.step : null,
        result: claiming.kind === 'held' ? current : null,
      }
    })
    if (update.kind === 'missing') return null
    return update.kind === 'written' ? update.document : update.result
  }

  private async record(step: Stored<StepDocument>, outcome: Outcome): Promise<void> {
    const { store, clock, random, telemetry, instanceName } = this.options
    const attempt = { number: step.attempt, fence: step.fence, by: instanceName }
    const decide = (current: StepDocument) => {
      const settlement = settle(current, attempt, outcome, { now: clock.now(), random })
      if (settlement.kind === 'write') return { write: settlement.step, result: null }
      // After a lost reply our own outcome is what we find: recorded, not discarded.
      const { outcome: found } = current
      const isOurs =
        found?.by === instanceName && found.attempt === attempt.number && current.fence === step.fence
      return { write: null, result: isOurs ? null : settlement.reason }
    }
    // Every round of tries takes the step's own deadline as its end: after it `decide` discards.
    const update = await retry(
      () => updateDocument(store, { address: step, known: step, read: readStep }, decide),
      {
        clock,
        random,
        backoff: { minMs: 50, maxMs: 2_000 },
        maxAttempts: Number.POSITIVE_INFINITY,
        signal: this.stopping.signal,
        isTransient: (error) => error instanceof StoreUnavailable && isOpen(step, clock.now()),
      },
    )
    this.settled.put(step)
    const about = { jobId: step.jobId, workflow: step.workflow, stepId: step.stepId, attempt: step.attempt }
    const discarded = update.kind === 'missing' ? 'the step is gone' : update.result
    if (discarded !== null) {
      telemetry.emit({ type: 'outcome.discarded', reason: discarded, ...about })
      return
    }
    const error = outcome.kind === 'success' ? {} : { error: outcome.message }
    telemetry.emit({ type: 'step.settled', outcome: outcome.kind, ...about, ...error })
    if (outcome.kind === 'permanent') {
      const kind = update.kind === 'written' ? update.document.attention?.kind : undefined
      const raised = { kind: kind ?? 'error', message: outcome.message }
      const { jobId, workflow, stepId } = step
      telemetry.emit({ type: 'attention.raised', ...raised, jobId, workflow, stepId })
    }
  }
}

function attemptKeyOf({ pk, id, fence }: StepDocument): string {
  return `${pk}\n${id}\n${fence}`
}
