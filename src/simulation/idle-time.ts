import type { VirtualClock } from '../platform/index.js'
import type { Checker, SimulationEvent } from './events.js'

/** What of a stored document says when something is due with it. */
interface Timed {
  readonly type?: string
  readonly kind?: string
  readonly processState?: string
  readonly completeByMs?: number | null
  readonly notBeforeMs?: number | null
  readonly endByMs?: number | null
}

/** After so long without a write of a job everything has come to rest. */
const restMs = 30_000
/** Left over before what is due, so that whatever is done then is done by the clock. */
const marginMs = 20_000

/**
 * Lets the hours pass in which a job only waits. Hosts poll and renew leases meanwhile, which changes nothing and would
 * cost a second of the machine's time for each hour. While an attempt of a step is open its handler may be at work, and
 * time goes as it goes.
 */
export class IdleTime implements Checker {
  private readonly documents = new Map<string, Timed>()
  private readonly awaited = new Set<number>()
  private writtenAtMs = 0

  /** @param container whose documents are the job's */
  constructor(
    private readonly time: VirtualClock,
    private readonly container: string,
  ) {}

  check(event: SimulationEvent): readonly string[] {
    if (event.type !== 'written' || event.container !== this.container) return []
    this.writtenAtMs = this.time.monotonic()
    const { before, after } = event
    if (after !== null) this.documents.set(after.id, JSON.parse(after.text) as Timed)
    else if (before !== null) this.documents.delete(before.id)
    return []
  }

  /** Calls `action` at this time of the wall clock, even if it is reached by a leap. */
  at(dueMs: number, action: () => void): void {
    const leftMs = dueMs - this.time.now()
    if (leftMs <= 0) {
      this.awaited.delete(dueMs)
      action()
      return
    }
    this.awaited.add(dueMs)
    this.time.schedule(Math.min(leftMs, marginMs / 4), () => this.at(dueMs, action))
  }

  /** Leaps to just before what is due next, when nothing else can happen until then. */
  pass(): void {
    if (this.time.monotonic() - this.writtenAtMs < restMs) return
    const open = [...this.documents.values()].filter(isOpen)
    if (open.some(isAttempted)) return
    const due = [...this.awaited, ...open.flatMap(timesOf)].filter((atMs) => atMs > this.time.now())
    if (due.length > 0) this.time.leap(Math.max(0, Math.min(...due) - marginMs - this.time.now()))
  }
}

function isOpen({ processState }: Timed): boolean {
  return processState === 'Pending' || processState === 'Processing' || processState === 'Compensating'
}

/** An operation with a deadline is with an agent; what sleeps or waits for an event is with none. */
function isAttempted({ type, kind, completeByMs }: Timed): boolean {
  return type === 'sas.step' && kind !== 'sleep' && kind !== 'waitFor' && (completeByMs ?? null) !== null
}

function timesOf({ completeByMs, notBeforeMs, endByMs }: Timed): readonly number[] {
  return [completeByMs, notBeforeMs, endByMs].filter((atMs) => typeof atMs === 'number')
}
