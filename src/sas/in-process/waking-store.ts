import type { FeedHints } from '../../change-feed-processor/internal.js'

import type { InProcessPath } from './in-process-path.js'
import { rolesToWake } from '../decisions/readers.js'
import { begunJob } from '../submission/begun-job.js'
import type { PauseBoard } from '../pauses/pause-board.js'
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
    readMany: (addresses) => store.readMany(addresses),
    apply: async (partition, writes) => {
      const result = await store.apply(partition, writes)
      if (result.kind === 'applied') {
        const { physicalRangeId } = result
        for (const reader of rolesToWake(writes)) {
          // A pause concerns the schedulers of all ranges, which read it again after such a hint.
          const isForAll =
            reader === 'scheduler' && writes.some(({ document }) => document['type'] === 'sas.pauses')
          hints.part(reader).notify(isForAll ? null : physicalRangeId)
        }
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

/** Lets a scheduler begin the jobs that are submitted here. */
export interface Beginning {
  readonly beginSubmission: BeginSubmission
  /** Called with each job that was written in one transaction, after that transaction. */
  readonly onAccepted: (accepted: AcceptedJob) => void
}

/**
 * Lets the scheduler of this process begin a job while it is submitted, or when it is accepted. If the
 * scheduler cannot begin the job, the scheduler is woken to read the feed.
 */
export function beginningHere(inProcessPath: InProcessPath, hints: FeedHints): Beginning {
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

/**
 * Lets a submission begin its job for a scheduler of another process. `takingScheduler` returns the name of
 * that scheduler. If it returns null, because no scheduler is known to take jobs at the moment, the job is
 * stored as submitted, and a scheduler begins it. `onBegun` is called with each job that its submission has begun.
 */
export function beginningElsewhere(
  takingScheduler: () => string | null,
  {
    hints,
    board,
    now,
    onBegun,
  }: {
    readonly hints: FeedHints
    /** The pauses, which are read if the last reading is too old. */
    readonly board: PauseBoard
    readonly now: () => number
    readonly onBegun: (accepted: AcceptedJob) => void
  },
): Beginning {
  return {
    beginSubmission: async (job, steps) => {
      if (takingScheduler() === null) return null
      // Without the pauses, the scheduler begins the job.
      const pauses = await board.current().catch(() => null)
      const scheduler = takingScheduler()
      return scheduler === null
        ? null
        : begunJob(job, steps, { now: now(), scheduler, firstBy: null, pauses })
    },
    onAccepted: (accepted) => {
      const { physicalRangeId, isBegun } = accepted
      hints.part('scheduler').notify(physicalRangeId)
      if (!isBegun) return
      hints.part('agents').notify(physicalRangeId)
      onBegun(accepted)
    },
  }
}
