import type { FeedHints } from '../../change-feed-processor/internals.js'
import type { InProcessPath } from './in-process-path.js'
import type { StateDocument, StateStore, StateWrite } from '../store/state-store.js'
import type { AcceptedJob } from '../submission/write-submission.js'

/** The roles that read the feed, each in its own unit. Each role is a part of the hints of a process. */
export const readers = ['scheduler', 'agents', 'supervisor', 'notifier'] as const
export type Reader = (typeof readers)[number]

/**
 * Wraps the store so that each applied write wakes the local readers that need it ({@link readersOf}). They then read
 * within milliseconds instead of after a poll delay, and other readers make no useless read. A write of unknown
 * outcome wakes all readers. This changes only *when* readers read (D10).
 */
export function wakingReaders(store: StateStore, hints: FeedHints): StateStore {
  return {
    read: (address) => store.read(address),
    apply: async (partition, writes) => {
      const result = await store.apply(partition, writes)
      if (result.kind === 'applied') {
        for (const reader of readersOf(writes)) hints.part(reader).notify(result.physicalRangeId)
      }
      if (result.kind === 'unknownOutcome') hints.notify(null)
      return result
    },
    listOverdue: (due, limit) => store.listOverdue(due, limit),
    listJobs: (filter) => store.listJobs(filter),
    countJobs: () => store.countJobs(),
    findJob: (jobId) => store.findJob(jobId),
    listSteps: (partition, jobId) => store.listSteps(partition, jobId),
    listNotices: (partition, jobId) => store.listNotices(partition, jobId),
    listUndelivered: (filter) => store.listUndelivered(filter),
    listUnreadable: (limit) => store.listUnreadable(limit),
    follow: (partition) => store.follow(partition),
    listUnsent: (due, limit) => store.listUnsent(due, limit),
    listFlagged: (afterSince, limit) => store.listFlagged(afterSince, limit),
  }
}

/**
 * Returns a function that lets the scheduler of this process begin an accepted job. If the scheduler cannot begin it,
 * the function wakes it to read the feed.
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

/**
 * Returns the readers that these writes should wake.
 *
 * - A submission wakes no scheduler: {@link beginningHere} does that.
 * - A scheduler's own writes wake neither scheduler nor agents. The scheduler continues by itself, and wakes the
 *   agents for steps that it could not start here.
 * - The supervisor wakes for steps that failed or wait. Deadlines of running attempts are far away, so the regular
 *   polls find them in time.
 * - The notifier wakes only for notices and flagged jobs.
 */
export function readersOf(writes: readonly StateWrite[]): readonly Reader[] {
  const documents = writes.map(({ document }) => document)
  const isSubmission = writes.some(
    ({ kind, document }) => kind === 'create' && document['type'] === 'sas.job',
  )
  const isNews = documents.some(callsForNotifier)
  if (isSubmission) return isNews ? ['notifier'] : []
  const isSchedulers = documents.some(({ type, lockedBy, endedAtMs }) => {
    return type === 'sas.job' && (lockedBy !== null || endedAtMs !== null)
  })
  const calls: Record<Reader, (document: StateDocument) => boolean> = {
    scheduler: (document) => !isSchedulers && callsForScheduler(document),
    agents: ({ type, lockedBy, outcome }) =>
      !isSchedulers && type === 'sas.step' && lockedBy !== null && outcome === null,
    supervisor: ({ type, lockedBy, outcome, completeByMs }) =>
      type === 'sas.step' && completeByMs !== null && (lockedBy === null || outcome !== null),
    notifier: () => isNews,
  }
  return readers.filter((reader) => documents.some(calls[reader]))
}

function callsForScheduler({ type, lockedBy, dispatch }: StateDocument): boolean {
  return lockedBy === null && (type === 'sas.job' || (type === 'sas.step' && Number(dispatch) > 0))
}

function callsForNotifier({ type, completeByMs, attention }: StateDocument): boolean {
  return (type === 'sas.notify' && completeByMs !== null) || (type === 'sas.job' && attention !== null)
}
