import { expect, it } from 'vitest'
import { overlapPolicies } from '../../src/sas/model/schedule-documents.js'
import { simulateTicks } from './ticks.js'

// STEPWARD_TICKS=1000000 runs the long version.
const ticks = Number(process.env['STEPWARD_TICKS'] ?? 5_000)

it.each(overlapPolicies.flatMap((overlap) => [0, 30_000].map((jitterMs) => [overlap, jitterMs] as const)))(
  'no tick is lost, doubled or counted twice while supervisors die (overlap %s, jitter %d ms) (I23)',
  (overlap, jitterMs) => {
    const totals = simulateTicks({ seed: 7, ticks, overlap, jitterMs })
    // The ticks of the last ten minutes may wait for the end of a run.
    expect(totals.ticks).toBeGreaterThanOrEqual(ticks - (overlap === 'queue' ? 11 : 1))
    expect(totals.deaths).toBeGreaterThan(ticks / 1_000)
    expect(totals.repeats).toBeGreaterThan(ticks / 1_000)
    if (ticks >= 100_000) expect(totals.corrections).toBeGreaterThan(0)
    expect(totals.missed).toBeGreaterThan(0)
    if (overlap === 'skip' || overlap === 'cancelPrevious') expect(totals.skipped).toBeGreaterThan(0)
  },
)
