import { standingSentence, standingWork } from '../../operations/index.js'
import type { Settings } from '../../connection/internal.js'
import type { Clock } from '../../platform/index.js'
import { StoreUnavailable } from '../../sas/index.js'
import { forSameStore } from './same-store.js'
import type { Terminal } from './terminal.js'

export interface Standstill {
  readonly terminal: Pick<Terminal, 'note' | 'progressDone'>
  readonly clock: Clock
  /** Returns the reason for the standstill, or null if no reason is found. */
  readonly look: () => Promise<string | null>
}

/** The time without a change before the first lookup of the reason. Each later lookup waits twice as long. */
const firstLookMs = 10_000

/**
 * Runs `use`. If nothing has changed for some time, prints the reason on standard error, and later each new reason. While
 * changes come, it looks for no reason.
 */
export async function notingStandstill<T>(
  standstill: Standstill,
  use: (changed: () => void) => Promise<T>,
): Promise<T> {
  const { clock } = standstill
  const stopping = new AbortController()
  let changedAt = clock.monotonic()
  const noting = noteReasons(standstill, () => changedAt, stopping.signal)
  try {
    return await use(() => {
      changedAt = clock.monotonic()
    })
  } finally {
    stopping.abort()
    await noting
  }
}

async function noteReasons(
  { terminal, clock, look }: Standstill,
  changedAt: () => number,
  signal: AbortSignal,
): Promise<void> {
  let [patienceMs, since, noted] = [firstLookMs, changedAt(), '']
  for (;;) {
    if (changedAt() > since) [patienceMs, since] = [firstLookMs, changedAt()]
    const leftMs = since + patienceMs - clock.monotonic()
    if (leftMs > 0) await clock.sleep(Math.min(leftMs, firstLookMs), signal)
    if (signal.aborted) return
    if (leftMs > 0) continue
    const remark = (await look().catch(whileAway)) ?? noted
    patienceMs *= 2
    if (remark === noted || changedAt() > since) continue
    noted = remark
    terminal.progressDone()
    terminal.note(`stepward: ${remark}`)
  }
}

/** Returns the reason if the store is away. The command itself reports every other failure. */
function whileAway(error: unknown): string | null {
  if (!(error instanceof StoreUnavailable)) return null
  return 'The store does not answer. The command tries again for up to a minute, and the job continues.'
}

/** Returns the missing roles and the command that starts them, or null if all roles run or no job waits. */
export async function missingRoles(
  settings: Settings,
  place: { readonly data?: string },
): Promise<string | null> {
  const standing = await standingWork(settings)
  return standing && standingSentence({ ...standing, command: forSameStore(standing.command, place) })
}
