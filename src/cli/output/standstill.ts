import { standingSentence, standingWork } from '../../operations/index.js'
import type { Settings } from '../../connection/internal.js'
import type { Clock } from '../../platform/index.js'
import type { Terminal } from './terminal.js'

export interface Standstill {
  readonly terminal: Pick<Terminal, 'note' | 'progressDone'>
  readonly clock: Clock
  /** Returns the reason for the standstill, or null if no reason is found. */
  readonly look: () => Promise<string | null>
}

/** The time without a change before the first lookup of the reason. Each later lookup waits twice as long. */
const firstLookMs = 10_000

/** Runs `use`. If nothing has changed for some time, prints the reason once on standard error. */
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
    // If the store does not answer, the command itself reports that error.
    const remark = await look().catch(() => null)
    if (remark === null) continue
    terminal.progressDone()
    terminal.note(`stepward: ${remark}`)
    return
  }
}

/** Returns the missing roles and the command that starts them, or null if all roles run or no job waits. */
export async function missingRoles(settings: Settings): Promise<string | null> {
  const standing = await standingWork(settings)
  return standing && standingSentence(standing)
}
