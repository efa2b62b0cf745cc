import type { StepDocument } from '../model/documents.js'
import type { Stored } from '../store/state-store.js'
import type { AcceptedJob } from '../submission/write-submission.js'
import type { DocumentDecision } from '../store/update-document.js'

/** Starts an open step if a place is free. Otherwise returns false, and the feed delivers the step. */
export type StartStep = (step: Stored<StepDocument>) => boolean

/** How a scheduler passes steps of a lease to the agents of its process, without the feed. */
export interface AgentsOffer {
  readonly start: StartStep
  /** Identifies these agents in `firstBy`, so that they know they are the first to make the attempt. */
  readonly token: string
}

/** An attempt that has ended. `decide` is called with the current step and returns the write. */
export interface EndedAttempt {
  readonly step: Stored<StepDocument>
  readonly decide: (step: StepDocument) => DocumentDecision<StepDocument, string | null>
}

/** The result of recording an outcome. */
export interface SettledAttempt {
  /**
   * The step as written; null if nothing was written, for instance because the outcome is recorded already.
   */
  readonly written: StepDocument | null
  /** Why the outcome does not count; null if it counts. */
  readonly discarded: string | null
  /**
   * Reports and starts what follows from the outcome. Call it after the outcome is reported and its place is
   * free.
   */
  readonly followUp: () => void
}

/** Begins a job that was accepted in this process. Otherwise returns false, and the feed delivers the job. */
export type BeginJob = (accepted: AcceptedJob) => Promise<boolean>

/**
 * Writes an outcome and what follows from it in one transaction. Returns null if this scheduler cannot do
 * that.
 */
export type SettleAndSchedule = (ended: EndedAttempt) => Promise<SettledAttempt | null>

/** What a scheduler does for a lease without waiting for the feed. */
export interface SchedulerOffer {
  readonly begin: BeginJob
  readonly settleAndSchedule: SettleAndSchedule
}

/**
 * Connects the submitters, the scheduler and the agents of one process. Each role registers the leases it
 * owns here.
 *
 * A job accepted in a range of the scheduler begins at once. While both roles own a range, steps pass between
 * them without the feed, and an outcome is recorded together with the dispatch of what follows.
 *
 * The in-process path changes when work starts and how many requests it takes, never what is decided (D10).
 * Every write depends on the same etags and fences (I2, I3, I22), and the feed still delivers the same
 * documents. If one of the two roles is missing, full or stopped, work takes the way through the feed.
 */
export class InProcessPath {
  readonly agents = new RoleOffers<AgentsOffer>()
  readonly scheduler = new RoleOffers<SchedulerOffer>()
}

/** The offers of one role, by lease token. */
class RoleOffers<T> {
  private readonly held = new Map<string, T>()

  open(leaseToken: string, offer: T): void {
    this.held.set(leaseToken, offer)
  }

  close(leaseToken: string): void {
    this.held.delete(leaseToken)
  }

  /** Returns the offer for this lease, or undefined if this role does not own the lease in this process. */
  at(leaseToken: string): T | undefined {
    return this.held.get(leaseToken)
  }
}
