import type { Lease, LeaseInitialization, LeaseStore, NewLease } from '../../../lease-store/index.js'
import type {
  Change,
  ChangeFeed,
  ChangePage,
  FeedPosition,
  PhysicalRange,
  ReadOptions,
  VersionChange,
} from '../../change-feed-processor/feed/change-feed.js'
import { FeedError } from '../../change-feed-processor/feed/errors.js'
import { unlessAborted } from '../../platform/internal.js'
import { StoreUnavailable } from '../../sas/model/errors.js'
import { refuseUnreadable } from '../../sas/store/readable-writes.js'
import type { ApplyResult, StateStore, StateWrite } from '../../sas/store/state-store.js'
import { DoorLost, type SizedAnswer } from './door-connection.js'
import type { ExpectedPages } from './expected-pages.js'
import type { OwnChange, OwnWrites } from './own-writes.js'

/** Sends a request, and returns the answer. */
export type Call = (method: string, ...args: readonly unknown[]) => Promise<unknown>

/** The requests of one part of a process. */
export interface Calls {
  readonly call: Call
  readonly callSized: (method: string, ...args: readonly unknown[]) => Promise<SizedAnswer>
  /** Sends a request without an answer, if there is a connection. */
  readonly tell: (method: string, ...args: readonly unknown[]) => void
}

/** What this process knows of pages that it has not read yet. */
export interface KnownOfPages {
  readonly own: OwnWrites
  readonly expected: ExpectedPages
}

/** Returns a state store whose calls are requests. */
export function doorState(
  { call: send, callSized: sendSized }: Omit<Calls, 'tell'>,
  own: OwnWrites,
): StateStore {
  const call = async <T>(method: string, ...args: readonly unknown[]): Promise<T> => {
    try {
      return (await send(method, ...args)) as T
    } catch (error) {
      throw error instanceof DoorLost ? new StoreUnavailable(error.message, { cause: error }) : error
    }
  }
  const apply = async (partition: string, writes: readonly StateWrite[]): Promise<ApplyResult> => {
    refuseUnreadable(writes)
    try {
      const { answer, sentBytes } = await sendSized('apply', partition, writes)
      own.note(writes, answer as ApplyResult, sentBytes)
      return answer as ApplyResult
    } catch (error) {
      if (!(error instanceof DoorLost)) throw error
      if (error.isSent) return { kind: 'unknownOutcome', cause: error }
      throw new StoreUnavailable(error.message, { cause: error })
    }
  }
  const read: StateStore['read'] = (address) => call('read', address)
  return {
    read,
    readMany: (addresses) => Promise.all(addresses.map(read)),
    apply,
    listSteps: (partition, jobId) => call('listSteps', partition, jobId),
    listNotices: (partition, jobId) => call('listNotices', partition, jobId),
    listOverdue: (due, limit) => call('listOverdue', due, limit),
    listUnsent: (due, limit) => call('listUnsent', due, limit),
    listFlagged: (afterSince, limit) => call('listFlagged', afterSince, limit),
    listConcerned: (question) => call('listConcerned', question),
    listUnreadable: (limit) => call('listUnreadable', limit),
  }
}

/**
 * Returns a feed whose pages are requests, except those that the store has sent because a reader expects them. The store names the
 * changes that this process has written.
 */
export function doorFeed(
  { call, tell }: Omit<Calls, 'callSized'>,
  { own, expected }: KnownOfPages,
): ChangeFeed {
  const page = async <C>(
    method: string,
    from: FeedPosition,
    { maxItemCount, signal }: ReadOptions,
    ...more: readonly unknown[]
  ): Promise<ChangePage<C>> => {
    try {
      signal.throwIfAborted()
      const answer = await unlessAborted(call(method, from, maxItemCount, ...more), signal)
      if (answer === null) signal.throwIfAborted()
      return answer as ChangePage<C>
    } catch (error) {
      const { min, max } = from.feedRange
      throw new FeedError(`the change feed [${min}, ${max}) could not be read`, error)
    }
  }
  return {
    physicalRanges: () => call('physicalRanges') as Promise<readonly PhysicalRange[]>,
    partitionKeyPaths: () => call('partitionKeyPaths') as Promise<readonly string[]>,
    readNext: async (from, options) => {
      own.begin()
      const sent = options.signal.aborted ? null : expected.take(from, options)
      const found = (sent ?? (await page('readNext', from, options, true))) as ChangePage<Change | OwnChange>
      const changes = own.documentsOf(found.changes)
      if (changes !== null) return { ...found, changes }
      // Too many documents, or too many versions of one, were written since. So the store is asked for the texts.
      const whole = await page<Change>('readNext', from, options, false)
      own.documentsOf(whole.changes)
      return whole
    },
    expect: (from, { maxItemCount }) => {
      if (expected.begin(from, maxItemCount)) tell('expect', from, maxItemCount)
    },
    readAllVersions: (from, options) => page<VersionChange>('readAllVersions', from, options),
  }
}

/** Returns a lease store whose calls are requests. */
export function doorLeases(call: Call): LeaseStore {
  const of = <T>(method: string, ...args: readonly unknown[]): Promise<T> =>
    call(method, ...args) as Promise<T>
  const initialization: LeaseInitialization = {
    doneAtMs: () => of('doneAtMs'),
    tryLock: (ttlSeconds) => of('tryLock', ttlSeconds),
    markDone: async () => {
      await of('markDone')
    },
    unlock: async () => {
      await of('unlock')
    },
  }
  return {
    initialization,
    list: () => of('list'),
    read: (leaseToken) => of('read', leaseToken),
    create: (lease: NewLease) => of('create', lease),
    replace: (lease: Lease) => of('replace', lease),
    delete: (lease: Lease) => of('delete', lease),
  }
}
