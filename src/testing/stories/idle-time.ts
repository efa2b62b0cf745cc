import type { VirtualClock } from '../../platform/index.js'
import type { Checker, SimulationEvent } from '../events.js'

/** The fields of a stored document from which its due times are found. */
interface Timed {
  readonly type?: string
  readonly kind?: string
  readonly processState?: string
  readonly completeByMs?: number | null
  readonly notBeforeMs?: number | null
  readonly endByMs?: number | null
}

/** The time without a write to the job's container after which the simulation counts as idle. */
const restMs = 30_000
/** The time between the end of a leap and the next due time, in which the clock runs normally. */
const marginMs = 20_000

/**
 * Skips the hours in which a job only waits and hosts only poll and renew leases. These hours do not change
 * the job, and each of them would take a second of real time. While an attempt at a step is open, its handler
 * may be running, so no time is skipped.
 */
export class IdleTime implements Checker {
  private readonly documents = new Map<string, Timed>()
  private readonly awaited = new Set<number>()
  private writtenAtMs = 0

  /** @param container the container of the job's documents */
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

  /** Calls `action` at this wall-clock time. Leaps end before this time. */
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

  /** Leaps to a time shortly before the next due time, if nothing else can happen until then. */
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

/**
 * Checks whether an agent may work on the step. Such a step has a deadline, does not sleep or wait, and is not
 * between two attempts or rounds.
 */
function isAttempted({ type, kind, processState, completeByMs, notBeforeMs }: Timed): boolean {
  if (processState === 'Pending' && (notBeforeMs ?? null) !== null) return false
  return type === 'sas.step' && kind !== 'sleep' && kind !== 'waitFor' && (completeByMs ?? null) !== null
}

function timesOf({ completeByMs, notBeforeMs, endByMs }: Timed): readonly number[] {
  return [completeByMs, notBeforeMs, endByMs].filter((atMs) => typeof atMs === 'number')
}
