import type { FeedHints } from '../../change-feed-processor/internal.js'
import type { InProcessPath } from './in-process-path.js'
import { rolesToWake } from '../decisions/readers.js'
import type { StateStore } from '../store/state-store.js'
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
    listUnreadable: (limit) => store.listUnreadable(limit),
    listUnsent: (due, limit) => store.listUnsent(due, limit),
    listFlagged: (afterSince, limit) => store.listFlagged(afterSince, limit),
  }
}

/**
 * Returns a function that lets the scheduler of this process begin an accepted job. If the scheduler cannot
 * begin the job, it is woken to read the feed.
 */
export function beginningHere(
  inProcessPath: InProcessPath,
  hints: FeedHints,
): (accepted: AcceptedJob) => void {
  return (accepted) => {
    const { physicalRangeId } = accepted
    const offer = physicalRangeId === null ? undefined : inProcessPath.scheduler.at(physicalRangeId)
    const readIt = (): void => hints.part('scheduler').notify(physicalRangeId)
    const begun = offer?.begin(accepted) ?? Promise.resolve(false)
    begun.then((isBegun) => {
      if (!isBegun) readIt()
    }, readIt)
  }
}
