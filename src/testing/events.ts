import type { Change } from '../change-feed-processor/index.js'
import type { VersionFields } from '../emulator/engine/index.js'
import type { FeedRange } from '../../lease-store/index.js'
import type { Request } from './network.js'

/** A page on its way through the delegate of one process. */
export interface Delivery {
  readonly processId: string
  readonly leaseToken: string
  readonly feedRange: FeedRange
  readonly changes: readonly Change[]
}

/** A document changed. `by` is null when no request of a process did it: a time to live that was over, a writer outside. */
export interface Written {
  readonly type: 'written'
  readonly container: string
  readonly by: Request | null
  /** Null when it was created. */
  readonly before: VersionFields | null
  /** Null when it is gone. */
  readonly after: VersionFields | null
}

/** What a service outside made of one request; it recognises a repetition by its key. */
export interface Call {
  readonly type: 'called'
  readonly processId: string
  readonly jobId: string
  readonly stepId: string
  readonly attempt: number
  readonly key: string
  /** The key of what an undo undoes; null for a call that is not an undo. */
  readonly undoes: string | null
  /** The input of the call. */
  readonly asked: string
  /** `late`: the call came after its undo, and was not done. */
  readonly effect: 'done' | 'repeated' | 'late' | 'undone' | 'nothing to undo' | 'refused'
}

/** Everything that happens in a simulation, as the checkers are told of it and as its hash is made of it. */
export type SimulationEvent =
  | Written
  | ({ readonly type: 'delivery.started' } & Delivery)
  | ({ readonly type: 'delivery.accepted' } & Delivery)
  /** Kept as dead letters, so that the feed goes on without them. */
  | ({ readonly type: 'delivery.setAside' } & Delivery)
  | { readonly type: 'lease.released'; readonly processId: string; readonly leaseToken: string }
  | { readonly type: 'fault'; readonly fault: string; readonly on: string }
  /** A submitter was told that its job stands. */
  | { readonly type: 'acknowledged'; readonly jobId: string }
  /** A service outside was asked for something. */
  | Call

/** An invariant: told of every event, it answers what is broken by it. */
export interface Checker {
  check(event: SimulationEvent): readonly string[]
}

/** One line per event: two runs of one seed must write the same lines. */
export function lineOf(event: SimulationEvent): string {
  switch (event.type) {
    case 'written': {
      const { container, by, before, after } = event
      const writer = by === null ? '-' : `${by.process.id} ${by.writePoint ?? by.method}`
      return `written ${container} ${writer} ${before?.etag ?? '-'} > ${after?.text ?? `${before?.id ?? ''} gone`}`
    }
    case 'delivery.started':
    case 'delivery.accepted':
    case 'delivery.setAside': {
      const { type, processId, leaseToken, changes } = event
      return `${type} ${processId} ${leaseToken} ${changes.map((change) => change._etag).join(' ')}`
    }
    case 'lease.released':
      return `${event.type} ${event.processId} ${event.leaseToken}`
    case 'fault':
      return `${event.type} ${event.fault} ${event.on}`
    case 'acknowledged':
      return `${event.type} ${event.jobId}`
    case 'called':
      return `${event.type} ${event.processId} ${event.key} ${event.attempt} ${event.effect}`
  }
}
