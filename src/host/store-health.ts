import { cosmosErrorKind, isTransient, type CosmosErrorKind } from '../../lease-store/internal.js'
import type { Clock } from '../platform/index.js'
import type { Delivery, Telemetry, TelemetryEvent } from '../telemetry/index.js'

/** An episode of failures ends with the first success that follows this time without a failure. */
const quietMs = 5_000

interface Episode {
  readonly reason: string
  readonly sinceMs: number
  lastFailureMs: number
  /** The first success after the last failure. */
  answeredMs: number | null
  failures: number
}

const reasons: Partial<Record<CosmosErrorKind['kind'], string>> = {
  throttled: 'the store throttles: raise its throughput if this lasts',
  unauthorized: 'the store refuses the key or token: check that it is still valid',
  forbidden: 'the store does not permit this identity: check its role assignments and the network rules',
}
/** The reason if the store is embedded, and the process that had its data directory open has ended. */
const closed =
  'no process has the data directory of the store open: this process continues when one opens it, for example "stepward start"'
const unreachable = 'the store does not answer: the process keeps trying and continues when the store is back'

/**
 * A telemetry sink in front of other sinks. It reports once when the store becomes unhealthy and once when
 * the store is healthy again. It suppresses the failures that follow from the unhealthy store. Other failures
 * pass unchanged, such as a delegate's own failures.
 *
 * States: healthy → unhealthy (a failure of the store) → healthy (a success, with no failure for five seconds
 * before it).
 */
export class StoreHealth implements Telemetry {
  private episode: Episode | null = null

  constructor(
    private readonly clock: Clock,
    private readonly next: Telemetry,
  ) {}

  /** Returns the reason why the store does not serve this process, or null. */
  unhealthyReason(): string | null {
    return this.episode?.reason ?? null
  }

  emit(event: TelemetryEvent): void {
    const reason = storeFailureOf(event)
    if (reason === null) {
      this.next.emit(event)
      if (isAnswer(event)) this.succeed()
    } else {
      this.fail(reason, 'error' in event ? event.error : undefined)
    }
  }

  /** Runs a delivery inside the spans of the next sinks. */
  during<T>(delivery: Delivery, run: () => Promise<T>): Promise<T> {
    return this.next.during?.(delivery, run) ?? run()
  }

  private fail(reason: string, error: unknown): void {
    const nowMs = this.clock.monotonic()
    if (this.episode === null) {
      this.episode = { reason, sinceMs: nowMs, lastFailureMs: nowMs, answeredMs: null, failures: 0 }
      this.next.emit({ type: 'store.troubled', reason, error })
    }
    this.episode.lastFailureMs = nowMs
    this.episode.answeredMs = null
    this.episode.failures += 1
  }

  private succeed(): void {
    const { episode } = this
    if (episode === null) return
    const nowMs = this.clock.monotonic()
    episode.answeredMs ??= nowMs
    if (nowMs - episode.lastFailureMs < quietMs) return
    this.episode = null
    const { sinceMs, answeredMs, failures } = episode
    this.next.emit({ type: 'store.recovered', durationMs: Math.round(answeredMs - sinceMs), failures })
  }
}

/** Returns whether an event shows that the store answered. */
function isAnswer({ type }: TelemetryEvent): boolean {
  return type === 'store.charged' || type === 'page.delivered' || type === 'checkpoint.stored'
}

/** Returns the reason why the store failed, or null if the event does not report such a failure. */
function storeFailureOf(event: TelemetryEvent): string | null {
  if (event.type === 'feed.unanswered') return unreachable
  const isFailure =
    event.type === 'balance.failed' ||
    event.type === 'feed.failed' ||
    event.type === 'loop.failed' ||
    event.type === 'delegate.failed'
  return isFailure ? reasonOf(event.error) : null
}

function reasonOf(error: unknown): string | null {
  for (let cause = error, depth = 0; cause instanceof Object && depth < 8; depth += 1) {
    // The error of a lost connection to an embedded store says whether a process has the store open.
    if (Reflect.get(cause, 'isStoreClosed') === true) return closed
    const { kind } = cosmosErrorKind(cause)
    const reason = reasons[kind] ?? (isTransient(kind) ? unreachable : undefined)
    if (reason !== undefined) return reason
    cause = cause instanceof Error ? cause.cause : undefined
  }
  return null
}
