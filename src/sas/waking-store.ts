import type { StateStore } from './state-store.js'

/** Who is told that a physical partition has something new; null when it is not known which. */
export interface Hints {
  notify(physicalRangeId: string | null): void
}

/**
 * The store, with every write that was applied (or may have been) waking the local readers of its range, so that the
 * next hop starts in milliseconds instead of a poll delay. Only *when* something is read changes (D10).
 */
export function wakingReaders(store: StateStore, hints: Hints): StateStore {
  return {
    read: (address) => store.read(address),
    apply: async (partition, writes) => {
      const result = await store.apply(partition, writes)
      if (result.kind === 'applied') hints.notify(result.physicalRangeId)
      if (result.kind === 'unknownOutcome') hints.notify(null)
      return result
    },
    listOverdue: (beforeMs, limit) => store.listOverdue(beforeMs, limit),
    listJobs: (filter) => store.listJobs(filter),
    findJob: (jobId) => store.findJob(jobId),
    listSteps: (partition, jobId) => store.listSteps(partition, jobId),
    listNotices: (partition, jobId) => store.listNotices(partition, jobId),
    follow: (partition) => store.follow(partition),
    listUntold: (beforeMs, limit) => store.listUntold(beforeMs, limit),
  }
}
