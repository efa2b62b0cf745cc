import { setMaxListeners } from 'node:events'
import {
  noProcesses,
  noticingLate,
  whenAborted,
  withinLimit,
  type Processes,
} from '../../platform/internal.js'
import { definitionOf, type AgentDefinition } from './agent.js'
import { AgentsHealth } from './agents-health.js'
import type { AgentsOptions, DelegateContext } from './agents-options.js'
import { agentsReport } from './agents-report.js'
import { circuitsOf, type Circuit } from './circuit.js'
import { attemptKeyOf } from './attempts/attempt-key.js'
import { BegunAttempts } from './attempts/begun-attempts.js'
import { isTaken } from '../decisions/claim.js'
import type { StateChange } from '../model/delivered/state-change.js'
import type { StepDocument } from '../model/documents.js'
import type { Maker } from '../model/planned/begun-attempt.js'
import { nothingFollows } from './attempts/outcome-recorder.js'
import { itemsOperation } from '../plan/item-jobs.js'
import { decodeDelivered } from '../model/delivered/decode-delivered.js'
import { mustRead } from '../decisions/readers.js'
import { LeavingRanges } from './leaving-ranges.js'
import { Pace, ratesOf } from './pace.js'
import { PromisedSlots } from './promised-slots.js'
import { limitsOf, Slots } from './slots.js'
import { StepsInMemory } from './steps-in-memory.js'
import { asStored, type Stored } from '../store/state-store.js'
import { workOf } from '../model/work.js'
import { deadTaker } from './attempts/enter-attempt.js'
import {
  AttemptWorker,
  makerOf,
  newLife,
  type Life,
  type Offer,
  type Source,
} from './attempts/attempt-worker.js'
import { mayBegin } from './attempts/take-up.js'
import { WaitingSteps } from './waiting-steps.js'

/**
 * The delegate of the agents unit. Every open step that names an agent of this unit gets a slot, and its
 * handler is called. The feed's checkpoint does not wait for the handler, because the step's deadline
 * protects work that has begun. While a step waits for a slot, the feed waits as well. A round of a large list, and a step
 * with a rate, wait in memory instead, as long as there is room.
 */
export class Agents {
  private readonly definitions: ReadonlyMap<string, AgentDefinition>
  private readonly circuits: ReadonlyMap<string, Circuit>
  private readonly health: AgentsHealth
  private readonly slots: Slots
  private readonly promised: PromisedSlots
  private readonly running = new Map<string, Promise<void>>()
  private readonly begun = new BegunAttempts()
  readonly waiting: WaitingSteps
  private readonly worker: AttemptWorker
  private readonly processes: Processes
  private present: Life = newLife()
  private readonly leaving = new LeavingRanges()
  private readonly inMemory = new StepsInMemory()
  /** Identifies these agents until their process ends. */
  readonly token: string
  /** What other processes may know of these agents. */
  readonly maker: Maker

  constructor(private readonly options: AgentsOptions) {
    this.token = options.random.id()
    this.processes = options.processes ?? noProcesses
    this.maker = makerOf(options.instanceName, this.processes)
    this.definitions = new Map(options.agents.map(definitionOf).map((agent) => [agent.name, agent]))
    this.circuits = circuitsOf(this.definitions.values(), options.clock)
    const ofEach = [...this.definitions.keys()].map((name) => this.circuits.get(name) ?? null)
    this.health = new AgentsHealth(options.clock, ofEach)
    const pace = new Pace(options.clock)
    this.slots = new Slots(options.slots, pace, limitsOf(this.definitions.values()), apart)
    this.promised = new PromisedSlots(this.slots, options.clock)
    this.waiting = new WaitingSteps(options.clock)
    const { token, maker, processes, circuits, begun, waiting, health } = this
    const own = { token, maker, processes }
    this.worker = new AttemptWorker({ ...options, ...own, circuits, begun, waiting, health })
  }

  /** Resolves when every open step of these changes has been started. Rejects if the signal aborts first. */
  async onChanges(changes: readonly StateChange[], context: DelegateContext): Promise<void> {
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

  private forgetEnded(changes: readonly StateChange[]): void {
    for (const change of changes) {
      const { type, pk, id, fence } = change
      if (type !== 'sas.step' || typeof pk !== 'string' || typeof fence !== 'number') continue
      const isOpen = mustRead.agents(change)
      if (!isOpen) this.begun.forget({ pk, id, fence })
      this.inMemory.endBefore({ pk, id }, isOpen ? fence : fence + 1)
    }
  }

  /**
   * Waits up to `budgetMs` for running handlers, and then aborts their signals. The steps of the aborted attempts are
   * offered again without a failure. Gives up the writes that have not succeeded three seconds later.
   */
  async stop(budgetMs: number): Promise<void> {
    const { clock } = this.options
    const { handlers, givingUp } = this.present
    this.leaving.leaveAll()
    const idle = noticingLate(clock, budgetMs, this.whenIdle(), () => handlers.abort())
    await withinLimit(clock, budgetMs + leavesWithinMs, idle, () => givingUp.abort())
    this.present = newLife()
  }

  private async whenIdle(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running.values())
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

  /** Checks whether rounds of large lists wait for a slot. */
  get hasWaitingRounds(): boolean {
    return this.slots.isAwaitedBy(itemsOperation.actor)
  }

  /** Starts an open step if its agent has a free slot. Returns whether the step is running. */
  startNow(step: Stored<StepDocument>, leaseToken: string): boolean {
    this.promised.end(step)
    const agent = this.readyFor(step)
    if (agent === undefined) return false
    if (this.isKnown(step)) return true
    if (!this.slots.takeFree({ agent: agent.name, rates: ratesOf(step) })) return false
    this.start(step, agent, { leaseToken, isFirst: step.firstBy === this.token })
    return true
  }

  /** Checks whether `startNow` will start the step after it is written together with the outcome of `ended`. */
  promise(step: StepDocument, ended?: StepDocument): boolean {
    return this.readyFor(step) !== undefined && this.promised.promise(step, ended)
  }

  withdraw(step: StepDocument): void {
    this.promised.end(step)
  }

  /** Returns the agent of the step, if it may start attempts now. */
  private readyFor(step: StepDocument): AgentDefinition | undefined {
    // The user's own reason is read only when the leases are checked, not again for each step.
    const isReady = !this.present.handlers.signal.aborted && this.health.unhealthyReason() === null
    return isReady ? this.definitions.get(workOf(step).actor) : undefined
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
    const rates = ratesOf(step)
    if ((apart.has(name) || rates.length > 0) && this.startWhenFree(step, agent, context)) return
    const isFree = this.slots.takeFree({ agent: name, rates })
    const endWait = isFree ? null : this.waiting.waits(leaseToken ?? '', name, step)
    if (
      !isFree &&
      !(await this.slots.take(context.signal, { agent: name, priority: step.priority, rates }))
    ) {
      // The step now waits for the next delivery of its page.
      throw new Error(`this instance stopped, or lost the lease, before a slot was free for step ${step.id}`)
    }
    // The feed may have delivered the step twice, and the other delivery may have started it already.
    if (this.isKnown(step)) this.slots.release(name)
    else this.start(step, agent, { leaseToken, isFirst: this.isFirst(step, context) })
    endWait?.()
  }

  /**
   * Starts a step of an agent with slots apart, or a step with a rate, now or when a slot is free and the rate allows it.
   * Until then the step waits in memory and does not hold up the feed. Rounds of large lists wait for steps that follow in the
   * feed, and a low rate takes long. When the lease of the range ends, or this host stops, the step is offered again. Returns
   * false if too many steps wait already.
   */
  private startWhenFree(
    step: Stored<StepDocument>,
    agent: AgentDefinition,
    context: DelegateContext,
  ): boolean {
    const { leaseToken = null } = context
    const source = { leaseToken, isFirst: this.isFirst(step, context) }
    if (this.slots.takeFree({ agent: agent.name, rates: ratesOf(step) })) {
      this.start(step, agent, source)
      return true
    }
    const ends = [context.signal, this.present.handlers.signal]
    const bytes = this.inMemory.roomFor(step)
    if (bytes === null || ends.some(({ aborted }) => aborted)) return false
    this.running.set(attemptKeyOf(step), this.startedLater({ step, agent, ...source }, bytes, ends))
    return true
  }

  private async startedLater(offer: Offer, bytes: number, ends: readonly AbortSignal[]): Promise<void> {
    const { step, agent, leaseToken } = offer
    const life = this.present
    const leaving = this.leaving.of(leaseToken)
    const ending = new AbortController()
    const { isOver, remove } = this.inMemory.add(step, bytes)
    const endings = [
      ...ends.map((signal) => whenAborted(signal, () => leaving.abort())),
      ...[leaving.signal, isOver].map((signal) => whenAborted(signal, () => ending.abort())),
    ]
    const hasBegun = this.waiting.enters(leaseToken, agent.name, step)
    const candidate = { agent: agent.name, priority: step.priority, rates: ratesOf(step) }
    const hasSlot = await this.slots.take(ending.signal, candidate)
    remove()
    for (const end of endings) end()
    // Without a slot, the range may have another owner. It does not read the step again, because its page was handled.
    const leave = () => (isOver.aborted ? nothingFollows : this.worker.returnUnbegun(offer, life))
    const working = hasSlot ? this.worker.work(offer, life) : leave()
    hasBegun()
    const followUp = await working
    if (hasSlot) this.slots.release(agent.name)
    this.running.delete(attemptKeyOf(step))
    followUp()
  }

  /** Called when the lease of a range has ended. The steps of the range that wait in memory are offered again. */
  leaveRange(leaseToken: string): void {
    this.leaving.leave(leaseToken)
    this.waiting.forget(leaseToken)
  }

  /**
   * Checks whether the attempt was dispatched to these agents. If it was dispatched to no particular agents,
   * checks whether this instance held the lease at the time of the dispatch.
   */
  private isFirst(
    { firstBy, joinedFence, fence, _ts }: Stored<StepDocument>,
    { wasHeldAt }: DelegateContext,
  ): boolean {
    // A process that has joined the attempt wrote the step later than the dispatch.
    if (joinedFence === fence) return false
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
    const work = this.worker.work({ step, agent, ...source }, this.present).then((followUp) => {
      this.slots.release(agent.name)
      this.running.delete(key)
      // The follow-up runs only now, so that the steps it starts find this slot free.
      followUp()
    })
    this.running.set(key, work)
  }
}

/** The agent of large lists, whose rounds mostly wait for items. The steps of the items need the slots of the process. */
const apart: ReadonlySet<string> = new Set([itemsOperation.actor])

/** The time after the abort in which handlers may end and the agents write outcomes and give attempts back. */
const leavesWithinMs = 3_000
