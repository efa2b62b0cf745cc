import type { FeedHints } from '../../change-feed-processor/internal.js'
import type { InProcessPath } from './in-process-path.js'
import { rolesToWake } from '../decisions/readers.js'
import type { StateStore } from '../store/state-store.js'
import type { BeginSubmission } from '../submission/begun-submission.js'
import type { AcceptedJob } from '../submission/write-submission.js'

/**
 * Wraps the store so that each applied write wakes the local readers that need it ({@link rolesToWake}). Only
 * these readers then read, within milliseconds instead of after a poll delay. A write whose outcome is
 * unknown wakes all readers. The wrapper changes only *when* readers read (D10).
 */
export function wakingReaders(store: StateStore, hints: FeedHints): StateStore {
  return {
    read: (address) => store.read(address),
    apply: async (partition, writes) => {
      const result = await store.apply(partition, writes)
      if (result.kind === 'applied') {
        for (const reader of rolesToWake(writes)) hints.part(reader).notify(result.physicalRangeId)
      }
      if (result.kind === 'unknownOutcome') hints.notify(null)
      return result
    },
    listOverdue: (due, limit) => store.listOverdue(due, limit),
    listSteps: (partition, jobId) => store.listSteps(partition, jobId),
    listNotices: (partition, jobId) => store.listNotices(partition, jobId),
    listConcerned: (question) => store.listConcerned(question),
    listUnreadable: (limit) => store.listUnreadable(limit),
    listUnsent: (due, limit) => store.listUnsent(due, limit),
    listFlagged: (afterSince, limit) => store.listFlagged(afterSince, limit),
  }
}

/** Lets the scheduler of this process begin the jobs that are submitted here. */
export interface LocalBeginning {
  readonly beginSubmission: BeginSubmission
  /** Called with each job that was written in one transaction, after that transaction. */
  readonly onAccepted: (accepted: AcceptedJob) => void
}

/**
 * Lets the scheduler of this process begin a job while it is submitted, or when it is accepted. If the
 * scheduler cannot begin the job, the scheduler is woken to read the feed.
 */
export function beginningHere(inProcessPath: InProcessPath, hints: FeedHints): LocalBeginning {
  const onAccepted = (accepted: AcceptedJob): void => {
    const { physicalRangeId } = accepted
    const offer = physicalRangeId === null ? undefined : inProcessPath.scheduler.at(physicalRangeId)
    const readIt = (): void => {
      hints.part('scheduler').notify(physicalRangeId)
      if (accepted.isBegun) hints.part('agents').notify(physicalRangeId)
    }
    const begun = offer?.begin(accepted) ?? Promise.resolve(false)
    begun.then((isBegun) => {
      if (!isBegun) readIt()
    }, readIt)
  }
  return { beginSubmission: inProcessPath.beginSubmission, onAccepted }
}
