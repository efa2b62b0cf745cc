interface OnLease {
  readonly processorName: string
  readonly instanceName: string
  readonly leaseToken: string
}

interface OnJob {
  readonly jobId: string
  readonly workflow: string
}

interface OnStep extends OnJob {
  readonly stepId: string
  readonly attempt: number
}

/** A process that a fleet keeps running. */
interface OnInstance {
  readonly role: string
  readonly instanceName: string
  readonly processId: number | null
}

/**
 * All events, as one typed list. Loggers, metrics, dashboards and tests are sinks for it; nothing in the product
 * prints. Charges are request units as the store reported them.
 */
export type TelemetryEvent =
  // ── leases and the feed ──────────────────────────────────────────────────────────────────────────────────────────
  | ({ readonly type: 'lease.acquired'; readonly takenFrom: string | null } & OnLease)
  | ({ readonly type: 'lease.released'; readonly reason: string } & OnLease)
  /** This instance has asked the lease's living owner for it. */
  | ({ readonly type: 'lease.requested'; readonly owner: string } & OnLease)
  | ({ readonly type: 'lease.renewed' } & OnLease)
  | ({ readonly type: 'checkpoint.stored'; readonly continuationToken: string } & OnLease)
  /** A page was read, perhaps an empty one. */
  | ({ readonly type: 'feed.polled'; readonly count: number; readonly charge: number } & OnLease)
  /**
   * A read has had no answer for `waitedMs`: the network hangs, or the client silently repeats a throttled
   * request.
   */
  | ({ readonly type: 'feed.unanswered'; readonly waitedMs: number } & OnLease)
  /** A page came after the store had throttled the request and the client had silently repeated it. */
  | ({ readonly type: 'feed.throttled'; readonly retries: number; readonly waitedMs: number } & OnLease)
  | ({ readonly type: 'page.delivered'; readonly count: number; readonly charge: number } & OnLease)
  | ({ readonly type: 'delegate.failed'; readonly error: unknown } & OnLease)
  | ({
      readonly type: 'deadLetter.written'
      readonly documentId: string
      readonly attempts: number
      readonly error: unknown
    } & OnLease)
  | ({ readonly type: 'feed.failed'; readonly error: unknown } & OnLease)
  /** A deleted lease was created again. Some of its changes may be delivered again. */
  | ({ readonly type: 'lease.recreated' } & OnLease)
  /** A lease was deleted because finer leases cover its part of the feed. They replace it. */
  | ({ readonly type: 'lease.superseded'; readonly by: readonly string[] } & OnLease)
  | ({ readonly type: 'lease.split'; readonly children: readonly string[] } & OnLease)
  | ({
      readonly type: 'notification.failed'
      readonly notification: string
      readonly error: unknown
    } & OnLease)
  /** The balancer has read the list of leases. */
  | {
      readonly type: 'leases.listed'
      readonly processorName: string
      readonly instanceName: string
      readonly count: number
    }
  /** The instance releases its leases and takes none, until it is healthy again. */
  | {
      readonly type: 'unit.unhealthy'
      readonly processorName: string
      readonly instanceName: string
      readonly reason: string
    }
  | { readonly type: 'unit.healthy'; readonly processorName: string; readonly instanceName: string }
  | {
      readonly type: 'balance.failed'
      readonly processorName: string
      readonly instanceName: string
      readonly error: unknown
    }
  | {
      readonly type: 'lag.estimated'
      readonly processorName: string
      readonly leaseToken: string
      /** Transactions. */
      readonly estimatedLag: number
      readonly oldestAgeMs: number | null
    }
  // ── jobs and steps ───────────────────────────────────────────────────────────────────────────────────────────────
  | ({ readonly type: 'job.submitted'; readonly isNew: boolean } & OnJob)
  | ({ readonly type: 'step.dispatched' } & OnStep)
  | ({ readonly type: 'step.started' } & OnStep)
  /** The agent still works, and has extended its time until `completeByMs`, milliseconds since the epoch. */
  | ({ readonly type: 'step.extended'; readonly completeByMs: number } & OnStep)
  /** Logged by the step's handler (`context.log`). */
  | ({
      readonly type: 'agent.logged'
      readonly level: 'debug' | 'info' | 'warn' | 'error'
      readonly message: string
      readonly fields: Readonly<Record<string, unknown>>
      readonly orderId: string
      readonly instanceName: string
    } & OnStep)
  | ({
      readonly type: 'step.settled'
      readonly outcome: 'success' | 'failed' | 'permanent'
      readonly error?: unknown
    } & OnStep)
  | ({ readonly type: 'outcome.discarded'; readonly reason: string; readonly error?: unknown } & OnStep)
  | ({ readonly type: 'step.recovered'; readonly failureCount: number } & OnStep)
  | ({ readonly type: 'step.unclaimed' } & OnStep)
  /** Attempts at this operation have too little time, for the reason in `advice`. Each instance reports it once. */
  | {
      readonly type: 'deadline.doubted'
      readonly operation: string
      /** The workflow and step where it was noticed. */
      readonly workflow: string
      readonly stepId: string
      readonly completeWithinMs: number
      readonly advice: string
      readonly instanceName: string
    }
  | ({
      readonly type: 'attention.raised'
      readonly stepId: string | null
      readonly kind: string
      readonly message: string
    } & OnJob)
  | ({ readonly type: 'job.recovered'; readonly wasHeld: boolean } & OnJob)
  | ({
      readonly type: 'job.operated'
      readonly command: 'resubmit' | 'release' | 'cancel' | 'resend'
      readonly by: string
      readonly why: string
    } & OnJob)
  | ({ readonly type: 'job.finished'; readonly state: string } & OnJob)
  // ── notices and alerts ───────────────────────────────────────────────────────────────────────────────────────────
  | ({ readonly type: 'notice.sent'; readonly kind: string; readonly seq: number } & OnJob)
  /** The notice is sent again, unless `isGivenUp`: then an operator has to act. */
  | ({
      readonly type: 'notice.failed'
      readonly seq: number
      readonly failureCount: number
      readonly isGivenUp: boolean
      readonly error: unknown
    } & OnJob)
  /** An operator was alerted by every configured sink; this event is one of them. */
  | ({
      readonly type: 'alert.raised'
      readonly alertId: string
      readonly stepId: string | null
      readonly kind: string
      readonly message: string
    } & OnJob)
  /** A call of a sink failed. It was about this job, and about `count` jobs in all. The sink is called again. */
  | ({
      readonly type: 'alert.failed'
      readonly alertId: string
      readonly count: number
      readonly error: unknown
    } & OnJob)
  | { readonly type: 'document.refused'; readonly id: string; readonly reason: string }
  // ── the store ────────────────────────────────────────────────────────────────────────────────────────────────────
  | { readonly type: 'store.charged'; readonly operation: string; readonly charge: number }
  | { readonly type: 'store.conflict'; readonly operation: string; readonly id: string }
  // Trouble that passes causes one event when it begins and one when it ends, however many requests failed.
  | { readonly type: 'store.troubled'; readonly reason: string; readonly error: unknown }
  | { readonly type: 'store.recovered'; readonly durationMs: number; readonly failures: number }
  | { readonly type: 'loop.failed'; readonly loop: string; readonly error: unknown }
  // ── processes ────────────────────────────────────────────────────────────────────────────────────────────────────
  | { readonly type: 'host.started'; readonly instanceName: string; readonly roles: readonly string[] }
  | { readonly type: 'host.stopping'; readonly instanceName: string; readonly reason: string }
  | { readonly type: 'host.stopped'; readonly instanceName: string; readonly durationMs: number }
  | { readonly type: 'host.failed'; readonly instanceName: string; readonly error: unknown }
  | { readonly type: 'host.advised'; readonly advice: string }
  | ({ readonly type: 'instance.started' } & OnInstance)
  | ({
      readonly type: 'instance.ended'
      readonly exit: string
      /** The delay in milliseconds until another instance replaces it; null when none does. */
      readonly restartInMs: number | null
    } & OnInstance)
  | ({ readonly type: 'instance.leasesReleased'; readonly leaseTokens: readonly string[] } & OnInstance)

/** The name of an event type. */
export type TelemetryEventType = TelemetryEvent['type']

/** The event with a given type. */
export type TelemetryEventOf<T extends TelemetryEventType> = Extract<TelemetryEvent, { readonly type: T }>
