import type { StepDocument } from '../model/documents.js'
import type { Stored } from '../store/state-store.js'
import type { AcceptedJob } from '../submission/submission.js'
import type { DocumentDecision } from '../store/update-document.js'

/** Starts an open step in a place that is free, or answers false: then the feed brings it. */
export type StartStep = (step: Stored<StepDocument>) => boolean

/** How a scheduler hands steps of a lease to agents of its process, without the feed. */
export interface AgentsOffer {
  readonly start: StartStep
  /** Identifies these agents in `firstBy`, so that they know they are the first to make the attempt. */
  readonly token: string
}

/** An attempt that has ended, and what is to become of its step, decided on the step as it is when it is written. */
export interface EndedAttempt {
  readonly step: Stored<StepDocument>
  readonly decide: (step: StepDocument) => DocumentDecision<StepDocument, string | null>
}

/** What became of an outcome. */
export interface Concluded {
  /** The step as it was written; null when nothing was written, for instance because the outcome is recorded already. */
  readonly written: StepDocument | null
  /** Why the outcome does not count; null when it does. */
  readonly discarded: string | null
  /** To be called when the outcome is reported and its place is free: reports and starts what follows from it. */
  readonly goOn: () => void
}

/** Begins a job that was accepted in this process, or answers false: then it waits for the feed. */
export type BeginJob = (accepted: AcceptedJob) => Promise<boolean>

/** Writes an outcome and what follows from it in one transaction; null when that is not for this scheduler to do. */
export type Conclude = (ended: EndedAttempt) => Promise<Concluded | null>

/** What a scheduler does for a lease without waiting for the feed. */
export interface SchedulerOffer {
  readonly begin: BeginJob
  readonly conclude: Conclude
}

/**
 * Where submitters, scheduler and agents of one process meet: the roles say for which leases they work here. A job that
 * is accepted in a range of the scheduler's is begun at once. While both roles hold a range, a step goes from one to the
 * other without the feed, and an outcome is recorded together with the dispatch of what follows. That changes when something is started and how many requests carry it, never what is decided (D10):
 * every write stands on the same etags and fences (I2, I3, I22), the feed brings the same documents all the same, and
 * where one of the two is missing, full or gone, the feed is the way.
 */
export class Shortcut {
  readonly agents = new ShortcutEnd<AgentsOffer>()
  readonly scheduler = new ShortcutEnd<SchedulerOffer>()
}

/** What one role offers to the other, for the leases it holds. */
class ShortcutEnd<T> {
  private readonly held = new Map<string, T>()

  open(leaseToken: string, offer: T): void {
    this.held.set(leaseToken, offer)
  }

  close(leaseToken: string): void {
    this.held.delete(leaseToken)
  }

  /** What is offered for this lease; undefined when it is not held by this role in this process. */
  at(leaseToken: string): T | undefined {
    return this.held.get(leaseToken)
  }
}
