import { setMaxListeners } from 'node:events'
import type { Change } from '../../change-feed-processor/index.js'
import { noProcesses, noticingLate, withoutUndefined, type Processes } from '../../platform/internal.js'
import { definitionOf, type AgentDefinition } from './agent.js'
import { agentLog } from './agent-log.js'
import { AgentsHealth } from './agents-health.js'
import type { AgentsOptions, DelegateContext } from './agents-options.js'
import { agentsReport } from './agents-report.js'
import { makeAttempt, type Asked } from './attempt.js'
import { circuitsOf, type Circuit } from './circuit.js'
import { BegunAttempts } from './begun-attempts.js'
import { isTaken, type Claimant } from '../decisions/claim.js'
import { DeadlineAdvice } from './deadline-advice.js'
import type { StepDocument } from '../model/documents.js'
import { decodeDelivered } from '../model/decode.js'
import { moreTime } from './more-time.js'
import { mustRead } from '../decisions/readers.js'
import type { Outcome } from '../decisions/settle.js'
import { limitsOf, Slots } from './slots.js'
import { asStored, type Stored } from '../store/state-store.js'
import { workOf } from '../model/work.js'
import { deadTaker } from './enter-attempt.js'
import { offerAgain, sayThatItBegan } from './leave-attempt.js'
import { nothingFollows, OutcomeRecorder } from './outcome-recorder.js'
import { mayBegin, takeUp } from './take-up.js'
import { WaitingSteps } from './waiting-steps.js'

interface Source {
  /** The lease of the step's feed range. Null if the outcome is recorded without the next dispatches. */
  readonly leaseToken: string | null
  /**
   * True if no other process can have started this attempt, and none can start it without a sign that this process
   * sees.
   */
  readonly isFirst: boolean
}

/** An attempt of this process, with the latest written version of its step. */
interface OwnAttempt {
  step: Stored<StepDocument>
  readonly claimant: Claimant
}

/**
 * The delegate of the agents unit. Every open step that names an agent of this unit gets a slot, and its
 * handler is called. The feed's checkpoint does not wait for the handler, because the step's deadline
 * protects work that has begun. While a step waits for a slot, the feed waits as well.
 */
export class Agents {
  private readonly definitions: ReadonlyMap<string, AgentDefinition>
  private readonly circuits: ReadonlyMap<string, Circuit>
  private readonly health: AgentsHealth
  private readonly deadlines: DeadlineAdvice
  private readonly slots: Slots
  private readonly running = new Map<string, Promise<void>>()
  private readonly begun = new BegunAttempts()
  readonly waiting: WaitingSteps
  private readonly outcomes: OutcomeRecorder
  private readonly processes: Processes
  private stopping: AbortController
  /** Identifies these agents until their process ends. */
  readonly token: string

  constructor(private readonly options: AgentsOptions) {
    this.token = options.random.id()
    this.processes = options.processes ?? noProcesses
    this.definitions = new Map(options.agents.map(definitionOf).map((agent) => [agent.name, agent]))
    this.circuits = circuitsOf(this.definitions.values(), options.clock)
    const ofEach = [...this.definitions.keys()].map((name) => this.circuits.get(name) ?? null)
    this.health = new AgentsHealth(options.clock, ofEach)
    this.deadlines = new DeadlineAdvice(options)
    this.slots = new Slots(options.slots, limitsOf(this.definitions.values()))
    this.waiting = new WaitingSteps(options.clock)
    this.stopping = this.newStopping()
    const stopping = () => this.stopping.signal
    this.outcomes = new OutcomeRecorder({ ...options, health: this.health, stopping })
  }

  /** Resolves when every open step of these changes has been started. Rejects if the signal aborts first. */
  async onChanges(changes: readonly Change[], context: DelegateContext): Promise<void> {
    this.forgetEnded(changes)
    this.options.inProcessPath?.scheduler.at(context.leaseToken ?? '')?.foresee(changes)
    const steps = changes.filter(mustRead.agents).flatMap((change) => {
      const decoded = decodeDelivered(change)
      if (decoded.kind !== 'step' || decoded.step.kind !== 'operation') return []
      return [asStored(decoded.step, change)]
    })
    // Every waiting step listens to the signal, so a warning about many listeners would be a false alarm.
    setMaxListeners(0, context.signal)
    // The steps wait in parallel, so an agent without a free slot does not delay the steps of other agents.
    const urgentFirst = steps.sort((a, b) => b.priority - a.priority)
    const { leaseToken = '' } = context
    this.waiting.delivering(leaseToken)
    const offers = urgentFirst.map((step) => this.offer(step, context))
    this.waiting.delivered(leaseToken, changes)
    const refused = (await Promise.allSettled(offers)).find((offer) => offer.status === 'rejected')
    if (refused !== undefined) throw refused.reason
    const underWay = steps.flatMap((step) => this.running.get(attemptKeyOf(step)) ?? [])
    if (underWay.length > 0) Promise.all(underWay).then(context.keepForSuccessor?.(), () => undefined)
  }

  private forgetEnded(changes: readonly Change[]): void {
    for (const change of changes) {
      const { type, pk, id, fence } = change
      const isStep = type === 'sas.step' && typeof pk === 'string' && typeof fence === 'number'
      if (isStep && !mustRead.agents(change)) this.begun.forget({ pk, id, fence })
    }
  }

  /**
   * Waits up to `budgetMs` for running handlers, and then aborts their signals. The steps of the aborted attempts are
   * offered again without a failure.
   */
  async stop(budgetMs: number): Promise<void> {
    const ended = Promise.all(this.running.values())
    await noticingLate(this.options.clock, budgetMs, ended, () => this.stopping.abort())
    this.stopping = this.newStopping()
  }

  /** Returns a signal without a limit of listeners, because every outcome that waits for another try listens to it. */
  private newStopping(): AbortController {
    const stopping = new AbortController()
    setMaxListeners(0, stopping.signal)
    return stopping
  }

  /** Returns the reason why other instances should do the work (R124), or null. */
  unhealthyReason(): string | null {
    return this.options.unhealthyReason?.() ?? this.health.unhealthyReason()
  }

  /** Returns what this instance says in a lease: its slots, its circuits and how far it has come in the range. */
  report(leaseToken: string): Readonly<Record<string, unknown>> {
    return agentsReport(this.slots.usage(), this.circuits, this.waiting.position(leaseToken))
  }

  /** Checks whether the handler of the attempt was called in this process. */
  hasBegun(step: StepDocument): boolean {
    return this.begun.has(step)
  }

  /** Starts an open step if its agent has a free slot. Returns whether the step is running. */
  startNow(step: Stored<StepDocument>, leaseToken: string): boolean {
    const agent = this.definitions.get(workOf(step).actor)
    // The user's own reason is read only when the leases are checked, not again for each step.
    if (agent === undefined || this.stopping.signal.aborted || this.health.unhealthyReason() !== null)
      return false
    if (this.isKnown(step)) return true
    if (!this.slots.takeFree(agent.name)) return false
    this.start(step, agent, { leaseToken, isFirst: step.firstBy === this.token })
    return true
  }

  private async offer(step: Stored<StepDocument>, context: DelegateContext): Promise<void> {
    const { leaseToken = null } = context
    if (!mayBegin(step, this.options.clock.now()) || this.isKnown(step)) return
    const agent = this.definitions.get(workOf(step).actor)
    if (agent === undefined) {
      const reason = `this instance has no agent ${JSON.stringify(workOf(step).actor)}: run all agents with the same module`
      this.options.telemetry.emit({ type: 'document.refused', id: step.id, reason })
      return
    }
    const { name } = agent
    const isFree = this.slots.takeFree(name)
    const endWait = isFree ? null : this.waiting.waits(leaseToken ?? '', name, step)
    if (!isFree && !(await this.slots.take(context.signal, { agent: name, priority: step.priority }))) {
      // The step now waits for the next delivery of its page.
      throw new Error(`this instance stopped, or lost the lease, before a slot was free for step ${step.id}`)
    }
    // The feed may have delivered the step twice, and the other delivery may have started it already.
    if (this.isKnown(step)) this.slots.release(name)
    else this.start(step, agent, { leaseToken, isFirst: this.isFirst(step, context) })
    endWait?.()
  }

  /**
   * Checks whether the attempt was dispatched to these agents. If it was dispatched to no particular agents,
   * checks whether this instance held the lease at the time of the dispatch.
   */
  private isFirst({ firstBy, _ts }: Stored<StepDocument>, { wasHeldAt }: DelegateContext): boolean {
    return firstBy === null ? wasHeldAt?.(_ts) === true : firstBy === this.token
  }

  /** Checks whether the attempt was started in this process, or is claimed by any process. */
  private isKnown(step: Stored<StepDocument>): boolean {
    if (isTaken(step) && deadTaker(step, this.processes) === null) return true
    return this.running.has(attemptKeyOf(step)) || this.begun.has(step)
  }

  /** Starts a step for which a slot was already taken. */
  private start(step: Stored<StepDocument>, agent: AgentDefinition, source: Source): void {
    const key = attemptKeyOf(step)
    const work = this.work(step, agent, source).then((followUp) => {
      this.slots.release(agent.name)
      this.running.delete(key)
      // The follow-up runs only now, so that the steps it starts find this slot free.
      followUp()
    })
    this.running.set(key, work)
  }

  /**
   * Makes one attempt and records its outcome. Returns the function that continues the job. Never rejects: if
   * the outcome could not be recorded, the step is recovered after its deadline.
   */
  private async work(
    offered: Stored<StepDocument>,
    agent: AgentDefinition,
    { leaseToken, isFirst }: Source,
  ): Promise<() => void> {
    const { store, clock, telemetry, random, instanceName } = this.options
    const { jobId, workflow, stepId, attempt } = offered
    const about = { jobId, workflow, stepId, attempt }
    try {
      const { own } = this.processes
      const process = own === null ? {} : { process: own }
      const claimant = { fence: offered.fence, by: instanceName, token: random.id(), ...process }
      const deadProcess = deadTaker(offered, this.processes)
      const entering = { store, clock, random, signal: this.stopping.signal }
      const hasEntered = this.waiting.enters(leaseToken, agent.name, offered)
      const step = await takeUp(entering, offered, { claimant, isFirst, deadProcess }).finally(hasEntered)
      if (step === null) return nothingFollows
      // The attempt is remembered before the handler is called, so that this process makes it only once.
      this.begun.put(step)
      telemetry.emit({ type: 'step.started', ...about })
      const attempt = { step, claimant }
      const outcome = await this.attempt(attempt, agent)
      this.review(attempt, offered, outcome)
      if (outcome !== null) return await this.outcomes.record(attempt.step, outcome, leaseToken)
      await this.leave(attempt)
      return nothingFollows
    } catch (error) {
      this.health.noteLost()
      const reason = 'the claim or the outcome of the attempt could not be recorded'
      telemetry.emit({ type: 'outcome.discarded', reason, error, ...about })
      return nothingFollows
    }
  }

  private attempt(own: OwnAttempt, { name, handlers, retry }: AgentDefinition): Promise<Outcome | null> {
    const { store, clock, random, telemetry, instanceName, payloads } = this.options
    const { step } = own
    const { action } = workOf(step)
    const handler = handlers.get(action)
    if (handler === undefined) {
      const message = `agent ${name} has no operation ${JSON.stringify(action)} here`
      return Promise.resolve({ kind: 'failed', message })
    }
    const extend = (asked: Asked) => this.extended(own, asked)
    const { signal: stopping } = this.stopping
    const { jobId, orderId, workflow, stepId, attempt: number } = step
    const log = agentLog(telemetry, { jobId, orderId, workflow, stepId, attempt: number, instanceName })
    const readDocument = (id: string) => store.read({ pk: step.pk, id })
    const given = { step, handler, retrying: retry, clock, random, log, stopping, extend, readDocument }
    const attempt = () => makeAttempt({ ...given, ...withoutUndefined({ payloads }) })
    return this.circuits.get(name)?.run(attempt) ?? attempt()
  }

  /** Ends an attempt that has no outcome, because its time is up or this host stops. */
  private async leave({ step, claimant }: OwnAttempt): Promise<void> {
    const { store, clock, random, telemetry } = this.options
    const { jobId, workflow, stepId, attempt } = step
    const about = { jobId, workflow, stepId, attempt }
    const isStop = this.stopping.signal.aborted
    if (isStop && (await offerAgain({ store, clock, random }, step))) {
      telemetry.emit({ type: 'step.returned', ...about })
      return
    }
    if (!isStop) await sayThatItBegan({ store, clock }, step, claimant)
    const reason = `the attempt had not ended when ${isStop ? 'this host stopped' : 'its time was up'}`
    telemetry.emit({ type: 'outcome.discarded', reason, ...about })
  }

  /** Reports whether an attempt ended before its deadline. Attempts that got a later deadline do not count. */
  private review({ step }: OwnAttempt, offered: StepDocument, outcome: Outcome | null): void {
    const hasAskedForMore = step.completeByMs !== offered.completeByMs
    const isCutOff = outcome === null && !this.stopping.signal.aborted
    if (hasAskedForMore || (!isCutOff && outcome?.kind !== 'success')) return
    this.deadlines.noteEnded(step, isCutOff)
  }

  /**
   * W2': returns the deadline of this attempt after a request for more time, or the reason why it is over.
   */
  private async extended(own: OwnAttempt, asked: Asked): Promise<number | { readonly over: string }> {
    const { step, over, isWritten } = await moreTime({ ...this.options, ...asked }, own.step, own.claimant)
    own.step = step
    const { jobId, workflow, stepId, attempt, completeByMs } = step
    if (over !== null || completeByMs === null) return { over: over ?? 'the step has no deadline' }
    if (isWritten) {
      this.options.telemetry.emit({ type: 'step.extended', jobId, workflow, stepId, attempt, completeByMs })
    }
    return completeByMs
  }
}

function attemptKeyOf({ pk, id, fence }: StepDocument): string {
  return `${pk}\n${id}\n${fence}`
}
