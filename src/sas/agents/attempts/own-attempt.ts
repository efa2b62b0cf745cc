import type { Clock, Random } from '../../../platform/index.js'
import { retry, unlessAborted } from '../../../platform/internal.js'
import { claimAfterwards, giveBack, mayWait, type Claimant } from '../../decisions/claim.js'
import type { Json, StepDocument } from '../../model/documents.js'
import { StoreUnavailable } from '../../model/errors.js'
import type { StateStore, Stored } from '../../store/state-store.js'
import { readStep, updateDocument } from '../../store/update-document.js'
import type { AgentHandler } from '../agent.js'
import type { Asked } from './attempt.js'
import { moreTime } from './more-time.js'

export interface OwnAttemptOptions {
  readonly store: StateStore
  readonly clock: Clock
  readonly random: Random
  readonly step: Stored<StepDocument>
  readonly claimant: Claimant
  /** False if another process may have begun the attempt before this one. */
  readonly isFirst: boolean
}

/** The pauses between the tries of a host that stops, which has little time. */
const shortBackoff = { minMs: 50, maxMs: 400 }

/** An attempt that this process makes, with the latest version of its step that this process knows. */
export class OwnAttempt {
  private wasCalled = false
  private newest: Stored<StepDocument>

  constructor(private readonly options: OwnAttemptOptions) {
    this.newest = options.step
  }

  get step(): Stored<StepDocument> {
    return this.newest
  }

  /** Returns the handler of the attempt, which notes its calls here. */
  noting(handler: AgentHandler<Json, unknown>): AgentHandler<Json, unknown> {
    return (input, context) => {
      this.wasCalled = true
      return handler(input, context)
    }
  }

  /**
   * W2': asks for more time. Returns the deadline of this attempt and whether it was written. If the attempt is over, returns
   * the reason.
   */
  async extend(
    asked: Asked,
  ): Promise<{ readonly completeByMs: number; readonly isWritten: boolean } | { readonly over: string }> {
    const { claimant } = this.options
    const { step, over, isWritten } = await moreTime({ ...this.options, ...asked }, this.newest, claimant)
    if (over !== null) return { over }
    this.newest = step
    const { completeByMs } = step
    return completeByMs === null ? { over: 'the step has no deadline' } : { completeByMs, isWritten }
  }

  /** Claims an attempt whose time is up without an outcome. If this fails, a later report in the lease says that it began. */
  async sayThatItBegan(): Promise<void> {
    const { store, clock, claimant } = this.options
    if (!mayWait(this.newest)) return
    const decide = (current: StepDocument) => {
      return { write: claimAfterwards(current, claimant, clock.now()), result: null }
    }
    await updateDocument(store, this.from, decide).catch(() => undefined)
  }

  /**
   * Gives the attempt back, because this host stops. Returns `offered` if the step is offered again, and `left` if it waits for
   * its deadline. Returns null if the attempt is over, if another process has claimed it, if stops have taken it too often, or
   * if the store did not answer
   * before `signal` aborted.
   */
  async giveBack(signal: AbortSignal): Promise<'offered' | 'left' | null> {
    const { store, clock, random, claimant, isFirst } = this.options
    const { wasCalled } = this
    const decide = (current: StepDocument) => {
      const write = giveBack(current, claimant, { now: clock.now(), wasCalled, isFirst })
      return { write, result: howGiven(write ?? current, claimant) }
    }
    const writing = retry(() => updateDocument(store, this.from, decide), {
      clock,
      random,
      tries: Number.POSITIVE_INFINITY,
      backoff: shortBackoff,
      signal,
      isTransient: (error) => error instanceof StoreUnavailable,
    })
    const update = await unlessAborted(writing, signal).catch(() => null)
    return update === null || update.kind === 'missing' ? null : update.result
  }

  private get from() {
    return { address: this.newest, known: this.newest, read: readStep }
  }
}

/** Returns how a step was given back, also if the answer to the write was lost. */
function howGiven(
  { fence, lockedBy, outcome, leftFence }: StepDocument,
  own: Claimant,
): 'offered' | 'left' | null {
  if (outcome !== null) return null
  if (fence === own.fence) return leftFence === fence ? 'left' : null
  return fence === own.fence + 1 && lockedBy === null ? 'offered' : null
}
