import type { FeedRange } from '../../../lease-store/index.js'
import type { AgentsPosition } from '../waiting/agents-position.js'
import type { StateChange } from '../model/delivered/state-change.js'
import type { StepDocument } from '../model/documents.js'
import type { Stored } from '../store/state-store.js'
import type { AgentsHere } from '../submission/attempts-in-job.js'
import type { BeginSubmission } from '../submission/begun-submission.js'
import type { AcceptedJob } from '../submission/write-submission.js'
import type { DocumentDecision } from '../store/update-document.js'

/**
 * If the agents have a free slot, starts an open step and returns true. Otherwise the feed delivers the step.
 */
export type StartStep = (step: Stored<StepDocument>) => boolean

/**
 * The way in which a scheduler passes the steps of a lease to the agents of its process, without the feed.
 */
export interface AgentsOffer extends AgentsHere {
  readonly start: StartStep
  /** The id of these agents in `firstBy`, which shows them that they are the first to make the attempt. */
  readonly token: string
  /** The range of the lease. */
  readonly feedRange: FeedRange
  /** Returns how far these agents have come in the range of the lease. */
  readonly position: () => AgentsPosition
  /** Checks whether these agents have begun the attempt. */
  readonly hasBegun: (step: StepDocument) => boolean
}

/** An attempt that has ended. `decide` receives the current step and returns the write. */
export interface EndedAttempt {
  readonly step: Stored<StepDocument>
  readonly decide: (step: StepDocument) => DocumentDecision<StepDocument, string | null>
}

export interface SettledAttempt {
  /**
   * The step as it was written. Null if it was not written, for example because its outcome was already
   * recorded.
   */
  readonly written: StepDocument | null
  /** Whether only the job has the outcome (I47), so that the feed never delivers the step. */
  readonly isInJob?: boolean
  /** The reason why the outcome does not count. Null if it counts. */
  readonly discarded: string | null
  /**
   * Reports the dispatched steps, and starts those that this process can start. Call it when the outcome is
   * reported and the slot is free.
   */
  readonly followUp: () => void
}

/**
 * Begins a job that was accepted in this process, or starts the steps of a job that its submission has begun.
 * Returns false if the feed must deliver the job.
 */
export type BeginJob = (accepted: AcceptedJob) => Promise<boolean>

/** Writes an outcome and the next dispatches in one transaction, or returns null if that is impossible. */
export type SettleAndSchedule = (ended: EndedAttempt) => Promise<SettledAttempt | null>

/** The functions that a scheduler offers for a lease, so that callers need not wait for the feed. */
export interface SchedulerOffer {
  /** Whether the lease covers the whole container. Then this scheduler may begin a job while it is submitted. */
  readonly isWhole: boolean
  readonly beginSubmission: BeginSubmission
  readonly begin: BeginJob
  readonly settleAndSchedule: SettleAndSchedule
  /** Takes changes that the agents have received, because the scheduler may need them before it receives them. */
  readonly foresee: (changes: readonly StateChange[]) => void
  /** Gives documents to the steps whose attempts only their jobs have. Call it before the lease of either role is released. */
  readonly documentAttempts: () => Promise<void>
}

/**
 * Connects the submitters, the scheduler and the agents of one process. The scheduler and the agents register
 * the leases that they own.
 *
 * A job that is accepted in a range that the scheduler owns begins immediately. If the scheduler owns the whole
 * container, the job begins in the transaction that submits it. While both the scheduler and
 * the agents own a range, steps pass between them without the feed. An outcome is then recorded together with
 * the dispatch of the next steps.
 *
 * The path changes when work starts and how many requests are made, but never the decisions (D10). Every
 * write depends on the same etags and fences (I2, I3, I22), and the feed still delivers the same documents.
 * If the scheduler or the agents are missing, full or stopped, work goes through the feed.
 */
export class InProcessPath {
  readonly agents = new RoleOffers<AgentsOffer>()
  readonly scheduler = new RoleOffers<SchedulerOffer>()

  /**
   * Returns what the first scheduling of a submission would write, if the scheduler of this process owns the
   * whole container. Otherwise returns null, because the range of the job is known only after the write.
   */
  readonly beginSubmission: BeginSubmission = (job, steps) => {
    const offer = this.scheduler.find(({ isWhole }) => isWhole)
    return offer?.beginSubmission(job, steps) ?? null
  }
}

class RoleOffers<T> {
  private readonly held = new Map<string, T>()

  get isEmpty(): boolean {
    return this.held.size === 0
  }

  open(leaseToken: string, offer: T): void {
    this.held.set(leaseToken, offer)
  }

  close(leaseToken: string): void {
    this.held.delete(leaseToken)
  }

  all(): readonly T[] {
    return [...this.held.values()]
  }

  find(isWanted: (offer: T) => boolean): T | undefined {
    return [...this.held.values()].find(isWanted)
  }

  /** Returns the offer for this lease. Undefined if the role does not own the lease in this process. */
  at(leaseToken: string): T | undefined {
    return this.held.get(leaseToken)
  }
}
