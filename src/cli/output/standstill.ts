import { standingText, standingWork } from '../../operations/index.js'
import type { Settings } from '../../connection/index.js'
import type { Clock } from '../../platform/index.js'
import type { Terminal } from './terminal.js'

/** What it takes to say that nothing moves. */
export interface Standstill {
  readonly terminal: Pick<Terminal, 'note' | 'progressDone'>
  readonly clock: Clock
  /** Answers why nothing moves, or null where that has no reason that this command knows. */
  readonly look: () => Promise<string | null>
}

/** Nothing has moved for so long: time to look why. Each further look comes after twice the time. */
const firstLookMs = 10_000

/** Runs `use`, and says once, on standard error, why nothing moves when nothing has changed for some time. */
export async function notingStandstill<T>(
  standstill: Standstill,
  use: (changed: () => void) => Promise<T>,
): Promise<T> {
  const { clock } = standstill
  const stopping = new AbortController()
  let changedAt = clock.monotonic()
  const noting = noteOnce(standstill, () => clock.monotonic() - changedAt, stopping.signal)
  try {
    return await use(() => {
      changedAt = clock.monotonic()
    })
  } finally {
    stopping.abort()
    await noting
  }
}

async function noteOnce(
  { terminal, clock, look }: Standstill,
  stillFor: () => number,
  signal: AbortSignal,
): Promise<void> {
  for (let patienceMs = firstLookMs; ; patienceMs *= 2) {
    const leftMs = (): number => patienceMs - stillFor()
    while (leftMs() > 0 && !signal.aborted) await clock.sleep(leftMs(), signal)
    if (signal.aborted) return
    // Where the store does not answer, the command itself says so.
    const remark = await look().catch(() => null)
    if (remark === null) continue
    terminal.progressDone()
    terminal.note(`stepward: ${remark}`)
    return
  }
}

/** Says which roles are missing, and how they are started; null where all run, or no job waits. */
export async function missingRoles(settings: Settings): Promise<string | null> {
  const standing = await standingWork(settings)
  return standing === null ? null : `${standingText(standing)}; start them: ${standing.command}`
}
