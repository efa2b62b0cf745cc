import type { FeedHints } from '../change-feed-processor/index.js'
import type { Shortcut } from './shortcut.js'
import type { StateDocument, StateStore, StateWrite } from './state-store.js'
import type { AcceptedJob } from './submission.js'

/** The roles that read the feed, each by a unit of its own: parts of a process' hints. */
export const readers = ['scheduler', 'agents', 'supervisor', 'notifier'] as const
export type Reader = (typeof readers)[number]

/**
 * The store, with every write that was applied waking the local readers whom it calls for ({@link readersOf}), so that
 * the next hop starts in milliseconds instead of a poll delay, and nobody reads what is none of their business; all of
 * them when nobody knows whether it was applied. Only *when* something is read changes (D10).
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

/** Has a job that was accepted in this process begun by its scheduler, or else has that read the feed at once. */
export function beginningHere(shortcut: Shortcut, hints: FeedHints): (accepted: AcceptedJob) => void {
  return (accepted) => {
    const { physicalRangeId } = accepted
    const offer = physicalRangeId === null ? undefined : shortcut.scheduler.at(physicalRangeId)
    const readIt = (): void => hints.part('scheduler').notify(physicalRangeId)
    const begun = offer?.begin(accepted) ?? Promise.resolve(false)
    begun.then((isBegun) => {
      if (!isBegun) readIt()
    }, readIt)
  }
}

/**
 * Whom these writes call for. Who submits a job says so itself ({@link beginningHere}). A scheduler writes job and steps
 * together and goes on by itself, so its own writes call for no scheduler, and it knows which steps it could not start
 * here. Deadlines of attempts under way are far off: the supervisor reads of them in its own time, but of what ended in
 * failure, or waits, at once. A notifier reads of notices and of flagged jobs, and of nothing else.
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
