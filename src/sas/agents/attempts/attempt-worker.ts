import { setMaxListeners } from 'node:events'
import type { Processes } from '../../../platform/internal.js'
import type { AgentDefinition } from '../agent.js'
import { agentLog } from '../agent-log.js'
import type { AgentsHealth } from '../agents-health.js'
import type { AgentsOptions } from '../agents-options.js'
import type { Circuit } from '../circuit.js'
import { DeadlineAdvice } from '../deadline-advice.js'
import type { StepDocument } from '../../model/documents.js'
import { tokenInJob, type Maker } from '../../model/planned/begun-attempt.js'
import { etagOfPlanned } from '../../model/planned/planned-steps.js'
import { workOf } from '../../model/work.js'
import type { Outcome } from '../../decisions/settle.js'
import type { Stored } from '../../store/state-store.js'
import type { WaitingSteps } from '../waiting-steps.js'
import { makeAttempt, type Asked } from './attempt.js'
import type { BegunAttempts } from './begun-attempts.js'
import { deadTaker } from './enter-attempt.js'
import { nothingFollows, OutcomeRecorder } from './outcome-recorder.js'
import { OwnAttempt } from './own-attempt.js'
import { takeUp } from './take-up.js'

export interface Source {
  /** The lease of the step's feed range. Null if the outcome is recorded without the next dispatches. */
  readonly leaseToken: string | null
  /**
   * True if no other process can have started this attempt, and none can start it without a sign that this process
   * sees.
   */
  readonly isFirst: boolean
}

/** A step, its agent, and where the step came from. */
export interface Offer extends Source {
  readonly step: Stored<StepDocument>
  readonly agent: AgentDefinition
}

interface AttemptWorkerOptions extends AgentsOptions {
  /** Identifies these agents until their process ends. */
  readonly token: string
  readonly maker: Maker
  readonly processes: Processes
  readonly circuits: ReadonlyMap<string, Circuit>
  readonly begun: BegunAttempts
  readonly waiting: WaitingSteps
  readonly health: AgentsHealth
}

/** The time from a start to the next stop. */
export interface Life {
  /** Aborts when handlers must end, because the host stops. */
  readonly handlers: AbortController
  /** Aborts when the host no longer tries to write outcomes, and to give attempts back. */
  readonly givingUp: AbortController
}

/** Returns what other processes may know of the agents of this instance. */
export function makerOf(by: string, { own }: Processes): Maker {
  return own === null ? { by } : { by, process: own }
}

export function newLife(): Life {
  const life = { handlers: new AbortController(), givingUp: new AbortController() }
  // Every attempt listens to both signals, so a warning about many listeners would be a false alarm.
  setMaxListeners(0, life.handlers.signal, life.givingUp.signal)
  return life
}

/** Makes attempts, records their outcomes, and leaves those that have none. */
export class AttemptWorker {
  private readonly deadlines: DeadlineAdvice
  private readonly outcomes: OutcomeRecorder

  constructor(private readonly options: AttemptWorkerOptions) {
    this.deadlines = new DeadlineAdvice(options)
    this.outcomes = new OutcomeRecorder(options)
  }

  /**
   * Makes one attempt and records its outcome. Returns the function that continues the job. Never rejects: if
   * the outcome could not be recorded, the step is recovered after its deadline.
   */
  async work({ step: offered, agent, leaseToken, isFirst }: Offer, life: Life): Promise<() => void> {
    const { store, clock, telemetry, random, processes, maker } = this.options
    const { handlers, givingUp } = life
    const { jobId, workflow, stepId, attempt: number } = offered
    const about = { jobId, workflow, stepId, attempt: number }
    try {
      const claimant = { fence: offered.fence, ...maker, token: this.tokenFor(offered) }
      const deadProcess = deadTaker(offered, processes)
      const entering = { store, clock, random, signal: handlers.signal }
      const hasEntered = this.options.waiting.enters(leaseToken, agent.name, offered)
      const own = (step: Stored<StepDocument>) =>
        new OwnAttempt({ store, clock, random, claimant, step, isFirst })
      let step: Stored<StepDocument> | null
      try {
        step = await takeUp(entering, offered, { claimant, isFirst, deadProcess }).finally(hasEntered)
      } catch (error) {
        if (!handlers.signal.aborted) throw error
        // This host stops before it could enter the attempt. No handler was called, so no try may be lost.
        await this.leave(own(offered), life)
        return nothingFollows
      }
      if (step === null) return nothingFollows
      // The attempt is remembered before the handler is called, so that this process makes it only once.
      this.options.begun.put(offered)
      telemetry.emit({ type: 'step.started', ...about })
      const attempt = own(step)
      const outcome = await this.attempt(attempt, agent, handlers.signal)
      this.review(attempt.step, offered, outcome, handlers.signal)
      if (outcome === null) await this.leave(attempt, life)
      else return await this.outcomes.record(attempt.step, outcome, { leaseToken, givingUp: givingUp.signal })
    } catch (error) {
      this.options.health.noteLost()
      const reason = 'the claim or the outcome of the attempt could not be recorded'
      telemetry.emit({ type: 'outcome.discarded', reason, error, ...about })
    }
    return nothingFollows
  }

  /** If only the job has the attempt, other schedulers write its claim, which must be ours. */
  private tokenFor(offered: Stored<StepDocument>): string {
    const isInJob = offered._etag === etagOfPlanned && offered.firstBy === this.options.token
    return isInJob ? tokenInJob(offered) : this.options.random.id()
  }

  /** Gives an attempt back that waited for a slot until the lease of its range ended. Never rejects. */
  async returnUnbegun({ step, isFirst }: Offer, life: Life): Promise<() => void> {
    const { store, clock, random, instanceName } = this.options
    const claimant = { fence: step.fence, by: instanceName, token: random.id() }
    await this.hasGivenBack(new OwnAttempt({ store, clock, random, claimant, step, isFirst }), life)
    return nothingFollows
  }

  private attempt(
    own: OwnAttempt,
    { name, handlers, retry }: AgentDefinition,
    stopping: AbortSignal,
  ): Promise<Outcome | null> {
    const { store, clock, random, telemetry, instanceName, payloads } = this.options
    const { step } = own
    const { action } = workOf(step)
    const handler = handlers.get(action)
    if (handler === undefined) {
      const message = `agent ${name} has no operation ${JSON.stringify(action)} here`
      return Promise.resolve({ kind: 'failed', message })
    }
    const extend = (asked: Asked) => this.extended(own, asked)
    const { jobId, orderId, workflow, stepId, attempt: number } = step
    const log = agentLog(telemetry, { jobId, orderId, workflow, stepId, attempt: number, instanceName })
    const readDocument = (id: string) => store.read({ pk: step.pk, id })
    const called = own.noting(handler)
    const making = {
      step,
      handler: called,
      retrying: retry,
      clock,
      random,
      log,
      readDocument,
      payloads,
      stopping,
      extend,
    }
    const attempt = () => makeAttempt(making)
    return this.options.circuits.get(name)?.run(attempt, stopping) ?? attempt()
  }

  /** Ends an attempt that has no outcome, because its time is up or this host stops. */
  private async leave(attempt: OwnAttempt, life: Life): Promise<void> {
    const { telemetry } = this.options
    const isStop = life.handlers.signal.aborted
    if (isStop && (await this.hasGivenBack(attempt, life))) return
    const { jobId, workflow, stepId, attempt: number } = attempt.step
    const about = { jobId, workflow, stepId, attempt: number }
    if (!isStop) await attempt.sayThatItBegan()
    const reason = `the attempt had not ended when ${isStop ? 'this host stopped' : 'its time was up'}`
    telemetry.emit({ type: 'outcome.discarded', reason, ...about })
  }

  private async hasGivenBack(attempt: OwnAttempt, { givingUp }: Life): Promise<boolean> {
    const how = await attempt.giveBack(givingUp.signal)
    if (how === null) return false
    const { jobId, workflow, stepId, attempt: number } = attempt.step
    const about = { jobId, workflow, stepId, attempt: number }
    this.options.telemetry.emit({ type: 'step.returned', isOffered: how === 'offered', ...about })
    return true
  }

  /** Reports whether an attempt ended before its deadline. Attempts that got a later deadline do not count. */
  private review(
    step: StepDocument,
    offered: StepDocument,
    outcome: Outcome | null,
    stopping: AbortSignal,
  ): void {
    const hasAskedForMore = step.completeByMs !== offered.completeByMs
    const isCutOff = outcome === null && !stopping.aborted
    if (hasAskedForMore || (!isCutOff && outcome?.kind !== 'success')) return
    this.deadlines.noteEnded(step, isCutOff)
  }

  private async extended(own: OwnAttempt, asked: Asked): Promise<number | { readonly over: string }> {
    const answer = await own.extend(asked)
    if ('over' in answer) return answer
    const { completeByMs, isWritten } = answer
    const { jobId, workflow, stepId, attempt } = own.step
    if (isWritten) {
      this.options.telemetry.emit({ type: 'step.extended', jobId, workflow, stepId, attempt, completeByMs })
    }
    return completeByMs
  }
}
