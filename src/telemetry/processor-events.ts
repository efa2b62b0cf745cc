import { counted, errorMessage } from '../platform/internal.js'
import { seconds, type EventRows } from './event-row.js'
import { events, leasesHeld, onLease, unitFailures } from './metric.js'

interface OnUnit {
  readonly processorName: string
  readonly instanceName: string
}

interface OnLease extends OnUnit {
  readonly leaseToken: string
}

/** The reasons for which a processor stops reading a lease, as in its `CloseReason`. */
type ReleaseReason = 'Shutdown' | 'LeaseLost' | 'HandedOver' | 'Split' | 'DelegateError' | 'FeedError'

/** Events of change feed processors. Charges are the request units that the store reported. */
export type ProcessorEvent =
  | ({ readonly type: 'lease.acquired'; readonly takenFrom: string | null } & OnLease)
  | ({ readonly type: 'lease.released'; readonly reason: ReleaseReason } & OnLease)
  | ({ readonly type: 'lease.requested'; readonly owner: string } & OnLease)
  | ({ readonly type: 'lease.freed'; readonly owner: string } & OnLease)
  | ({ readonly type: 'lease.renewed' } & OnLease)
  | ({ readonly type: 'checkpoint.stored'; readonly continuationToken: string } & OnLease)
  | ({ readonly type: 'feed.polled'; readonly count: number; readonly charge: number } & OnLease)
  | ({ readonly type: 'page.delivered'; readonly count: number; readonly charge: number } & OnLease)
  | ({ readonly type: 'delegate.failed'; readonly error: unknown } & OnLease)
  | ({
      readonly type: 'deadLetter.written'
      readonly documentId: string
      readonly attempts: number
      readonly error: unknown
    } & OnLease)
  | ({ readonly type: 'feed.failed'; readonly error: unknown } & OnLease)
  | ({ readonly type: 'feed.unanswered'; readonly waitedMs: number } & OnLease)
  | ({ readonly type: 'feed.throttled'; readonly retries: number; readonly waitedMs: number } & OnLease)
  | ({ readonly type: 'lease.recreated' } & OnLease)
  | ({ readonly type: 'lease.superseded'; readonly by: readonly string[] } & OnLease)
  | ({ readonly type: 'lease.split'; readonly children: readonly string[] } & OnLease)
  | ({
      readonly type: 'notification.failed'
      readonly notification: string
      readonly error: unknown
    } & OnLease)
  | ({ readonly type: 'unit.unhealthy'; readonly reason: string } & OnUnit)
  | ({ readonly type: 'unit.healthy' } & OnUnit)
  | ({ readonly type: 'leases.listed'; readonly count: number } & OnUnit)
  | ({ readonly type: 'balance.failed'; readonly error: unknown } & OnUnit)
  | {
      readonly type: 'lag.estimated'
      readonly processorName: string
      readonly leaseToken: string
      /** An upper bound for the number of transactions that are not yet processed. */
      readonly estimatedLag: number
      readonly oldestAgeMs: number | null
    }

export const processorEvents = {
  'lease.acquired': {
    level: 'info',
    metrics: [leasesHeld],
    text: ({ takenFrom, ...on }) =>
      `Instance ${on.instanceName} acquired ${lease(on)}${takenFrom === null ? '' : ` from ${takenFrom}`}`,
    meaning:
      'this instance reads a feed range from now on; `takenFrom` names the previous owner if it had ' +
      'not released the lease',
  },
  'lease.released': {
    level: 'info',
    metrics: [{ ...leasesHeld, value: () => -1 }],
    text: ({ reason, ...on }) =>
      `Instance ${on.instanceName} no longer reads ${lease(on)}: ${releaseReasons[reason]}`,
    meaning:
      'this instance no longer reads the feed range; `reason` is Shutdown, LeaseLost, HandedOver, Split, ' +
      'DelegateError or FeedError; a lost lease has the reason LeaseLost, and no event of its own',
  },
  'lease.requested': {
    level: 'info',
    metrics: [events],
    text: ({ owner, ...on }) => `Instance ${on.instanceName} asked ${owner} for ${lease(on)}`,
    meaning: 'this instance has fewer leases than its share and asked `owner` for one',
  },
  'lease.freed': {
    level: 'info',
    metrics: [events],
    text: ({ owner, ...on }) =>
      `Instance ${on.instanceName} freed ${lease(on)}, because the process of ${owner} has ended`,
    meaning:
      'the process of `owner` ran on this machine and has ended without releasing its lease; any instance ' +
      'may now take the lease',
  },
  'lease.renewed': {
    level: 'debug',
    metrics: [events],
    text: (on) => `Instance ${on.instanceName} renewed ${lease(on)}`,
    meaning: 'the owner renewed its lease',
  },
  'checkpoint.stored': {
    level: 'debug',
    metrics: [{ name: 'stepward.checkpoints', kind: 'counter', unit: '{checkpoint}', attributes: onLease }],
    text: (on) => `Instance ${on.instanceName} stored a checkpoint of ${lease(on)}`,
    meaning: 'the owner stored its position; this also renews the lease',
  },
  'feed.polled': {
    level: 'debug',
    metrics: [events],
    text: ({ count, ...on }) =>
      `Instance ${on.instanceName} read ${count === 0 ? 'no changes' : counted(count, 'change')} of ` +
      lease(on),
    meaning: 'the processor read the feed, with or without changes',
  },
  'page.delivered': {
    level: 'debug',
    metrics: [
      {
        name: 'messaging.client.consumed.messages',
        kind: 'counter',
        unit: '{message}',
        attributes: onLease,
        value: ({ count }) => count,
      },
    ],
    text: ({ count, ...on }) => `The delegate accepted ${counted(count, 'change')} of ${lease(on)}`,
    meaning: 'the delegate accepted `count` changes',
  },
  'delegate.failed': {
    level: 'error',
    metrics: [unitFailures],
    text: ({ error, processorName }) =>
      `Changes of processor ${processorName} were not accepted: ${errorMessage(error)}`,
    meaning:
      'the delegate did not accept changes; the processor delivers them again, or stores a change as a ' +
      'dead letter after its last attempt',
  },
  'deadLetter.written': {
    level: 'error',
    metrics: [events],
    text: ({ documentId, attempts, error, ...on }) =>
      `Processor ${on.processorName} stored the change of document ${documentId} in lease ${on.leaseToken} ` +
      `as a dead letter after ${counted(attempts, 'attempt')}: ${errorMessage(error)}`,
    meaning: 'the delegate kept failing on a change; the processor stored it as a dead letter and continues',
  },
  'feed.failed': {
    level: 'error',
    metrics: [unitFailures],
    text: ({ error, leaseToken, processorName }) =>
      `Processor ${processorName} had a problem with lease ${leaseToken} and tries again: ` +
      errorMessage(error),
    meaning: 'the processor could not read the feed, or could not read or write a lease; it tries again',
  },
  'feed.unanswered': {
    level: 'warn',
    metrics: [events],
    text: ({ waitedMs, ...on }) =>
      `The store has not answered a read of ${lease(on)} for ${seconds(waitedMs)}`,
    meaning:
      'the store has not answered a read for 5 s: the network hangs, or the SDK silently repeats a ' +
      'throttled request',
  },
  'feed.throttled': {
    level: 'debug',
    metrics: [events],
    text: ({ retries, waitedMs, ...on }) =>
      `The store throttled a read of ${lease(on)}; ` +
      `the SDK retried it ${counted(retries, 'time')} in ${seconds(waitedMs)}`,
    meaning: 'a page arrived after the SDK had retried a throttled request `retries` times',
  },
  'lease.recreated': {
    level: 'warn',
    metrics: [events],
    text: (on) =>
      `Instance ${on.instanceName} created the deleted ${lease(on)} again; some changes may be repeated`,
    meaning: 'a lease had been deleted; the processor created it again, and may deliver some changes again',
  },
  'lease.superseded': {
    level: 'warn',
    metrics: [events],
    text: ({ by, ...on }) => {
      const finer = counted(by.length, 'finer lease covers', 'finer leases cover')
      return (
        `Instance ${on.instanceName} deleted ${lease(on)}: ${finer} its part of the feed ` +
        `(${by.join(', ')})`
      )
    },
    meaning:
      'two leases covered the same part of the feed; the processor deleted the wider one, and the leases in ' +
      '`by` replace it',
  },
  'lease.split': {
    level: 'info',
    metrics: [events],
    text: ({ children, ...on }) =>
      `The store split the partition of ${lease(on)}; its new leases are ${children.join(', ')}`,
    meaning: 'the store split a physical partition; `children` are the new leases',
  },
  'notification.failed': {
    level: 'warn',
    metrics: [unitFailures],
    text: ({ notification, error, ...on }) =>
      `The function ${notification} failed for ${lease(on)}, which continues: ${errorMessage(error)}`,
    meaning: 'one of your functions (`onError`, …) threw; this has no other effect',
  },
  'unit.unhealthy': {
    level: 'error',
    metrics: [events],
    text: ({ reason, instanceName, processorName }) =>
      `Instance ${instanceName} is not healthy and gives up its leases of ${processorName}: ${reason}`,
    meaning: 'the instance is not healthy: it releases its leases and acquires none',
  },
  'unit.healthy': {
    level: 'info',
    metrics: [events],
    text: ({ instanceName, processorName }) =>
      `Instance ${instanceName} is healthy again and acquires leases of ${processorName}`,
    meaning: 'the instance is healthy again and acquires leases',
  },
  'leases.listed': {
    level: 'debug',
    metrics: [events],
    text: ({ count, instanceName, processorName }) =>
      `Instance ${instanceName} found ${counted(count, 'lease')} of ${processorName}`,
    meaning: 'the load balancer read the list of leases',
  },
  'balance.failed': {
    level: 'error',
    metrics: [unitFailures],
    text: ({ error, instanceName, processorName }) =>
      `Instance ${instanceName} could not balance the leases of ${processorName} and tries again: ` +
      errorMessage(error),
    meaning: 'the load balancer could not read the list of leases; it tries again',
  },
  'lag.estimated': {
    level: 'debug',
    metrics: [
      {
        name: 'stepward.lag',
        kind: 'gauge',
        unit: '{change}',
        attributes: onLease,
        value: ({ estimatedLag }) => estimatedLag,
      },
      {
        name: 'stepward.oldest_change.age',
        kind: 'gauge',
        unit: 's',
        attributes: onLease,
        value: ({ oldestAgeMs }) => (oldestAgeMs ?? 0) / 1_000,
      },
    ],
    text: ({ estimatedLag, oldestAgeMs, ...on }) =>
      `The reader of ${lease(on)} is at most ${counted(estimatedLag, 'transaction')} behind` +
      (oldestAgeMs === null ? '' : `; the oldest change is ${seconds(oldestAgeMs)} old`),
    meaning: 'an estimator with `telemetry` measured the lag of a lease',
  },
} as const satisfies EventRows<ProcessorEvent>

/** The explanation of each `reason` of a `lease.released` event. */
const releaseReasons: Readonly<Record<ReleaseReason, string>> = {
  Shutdown: 'the instance is stopping',
  LeaseLost: 'another instance owns the lease, or may own it',
  HandedOver: 'the lease was handed over',
  Split: 'its partition was split',
  DelegateError: 'the delegate did not return in time',
  FeedError: 'the feed could not be read',
}

function lease({ leaseToken, processorName }: Pick<OnLease, 'leaseToken' | 'processorName'>): string {
  return `lease ${leaseToken} of ${processorName}`
}
