import type { Change } from '../change-feed-processor/index.js'
import type { VersionFields } from '../emulator/engine/index.js'
import type { FeedRange } from '../../lease-store/index.js'
import type { Request } from './network.js'

/** A page of changes that is delivered to the delegate of one process. */
export interface Delivery {
  readonly processId: string
  readonly leaseToken: string
  readonly feedRange: FeedRange
  readonly changes: readonly Change[]
}

/**
 * A document has changed. `by` is null if no process changed it, because it expired or an outside writer
 * changed it.
 */
export interface Written {
  readonly type: 'written'
  readonly container: string
  readonly by: Request | null
  /** Null if the document was created. */
  readonly before: VersionFields | null
  /** Null if the document was removed. */
  readonly after: VersionFields | null
}

/** A request to an outside service, and its effect. The service recognises a repeated request by its key. */
export interface Call {
  readonly type: 'called'
  readonly processId: string
  readonly jobId: string
  readonly stepId: string
  readonly attempt: number
  readonly key: string
  /** The key of the call that an undo undoes; null for a call that is not an undo. */
  readonly undoes: string | null
  readonly asked: string
  /** `late` means that the call arrived after its undo and was not carried out. */
  readonly effect: 'done' | 'repeated' | 'late' | 'undone' | 'nothing to undo' | 'refused'
}

/** An event of a simulation. Checkers receive all events, and the hash of a run is computed from them. */
export type SimulationEvent =
  | Written
  | ({ readonly type: 'delivery.started' } & Delivery)
  | ({ readonly type: 'delivery.accepted' } & Delivery)
  /** The changes were stored as dead letters, so that the feed continues after them. */
  | ({ readonly type: 'delivery.setAside' } & Delivery)
  | { readonly type: 'lease.released'; readonly processId: string; readonly leaseToken: string }
  | { readonly type: 'fault'; readonly fault: string; readonly on: string }
  /** A submitter received the confirmation that its job is stored. */
  | { readonly type: 'acknowledged'; readonly jobId: string }
  | Call

/** Checks an invariant: receives every event and returns the violations that it shows. */
export interface Checker {
  check(event: SimulationEvent): readonly string[]
}

/** Returns an event as one line of text. Runs with the same seed must produce the same lines. */
export function lineOf(event: SimulationEvent): string {
  switch (event.type) {
    case 'written': {
      const { container, by, before, after } = event
      const writer = by === null ? '-' : `${by.process.id} ${by.writePoint ?? by.method}`
      return (
        `written ${container} ${writer} ${before?.etag ?? '-'} > ` +
        (after?.text ?? `${before?.id ?? ''} gone`)
      )
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
