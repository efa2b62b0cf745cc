import type { GateDocument } from '../../src/sas/model/gate-documents.js'
import type { Place } from '../../src/sas/model/gate-parts.js'

/**
 * Returns the key of the limit whose rate has reserved the time of a place, or null. The place names it unless it is the
 * highest of its rates.
 */
export function rateOf({ reservedMs, reservedAt, gates }: Place): string | null {
  if (reservedMs === null) return null
  const rates = gates.flatMap(({ key, perSecond }) => (perSecond === undefined ? [] : [{ key, perSecond }]))
  const highest = rates.sort((one, other) => one.perSecond - other.perSecond).at(-1)
  return reservedAt ?? highest?.key ?? null
}

/** Each reserved time is rounded up to a millisecond. */
const roundingMs = 1

/**
 * The times that the rate of one limit has reserved for attempts that had to wait for it (I43). However the clocks of the
 * schedulers differ, any window has at most `burst` of them, and `perSecond` more for each second.
 */
export class ReservedTimes {
  private perSecond = 0
  private burst = 0
  private readonly times = new Map<string, number>()

  /** Notes the rules of the limit. If they change, the most generous ones count. A limit without a rate allows everything. */
  ruledBy({ operated, rules }: Pick<GateDocument, 'operated' | 'rules'>): void {
    const { perSecond = Infinity, burst = Math.max(1, Math.ceil(perSecond)) } = operated ?? rules
    this.perSecond = Math.max(this.perSecond, perSecond)
    this.burst = Math.max(this.burst, burst)
  }

  /** Adds the time of an attempt. Later versions of the step have the same time. */
  add(stepId: string, timeMs: number): void {
    this.times.set(`${stepId} ${timeMs}`, timeMs)
  }

  /** Returns a window with too many times as text, or null. */
  tooMany(): string | null {
    const { perSecond, burst } = this
    if (!Number.isFinite(perSecond)) return null
    const sorted = [...this.times.values()].sort((one, other) => one - other)
    // The window that begins with this time leaves the least for each later time.
    let [least, beginsMs] = [Infinity, 0]
    for (const [index, timeMs] of sorted.entries()) {
      const used = index - (timeMs * perSecond) / 1_000
      if (used < least) [least, beginsMs] = [used, timeMs]
      const most = burst + (roundingMs * perSecond) / 1_000
      if (used - least + 1 > most + 1e-6) return `from ${beginsMs} to ${timeMs}`
    }
    return null
  }
}
