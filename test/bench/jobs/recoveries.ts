import { median, type Figure } from '../figure.js'
import { apart, type JobPrograms, type StoreDoor, type WorkerKind } from './apart.js'
import { together } from './load.js'
import { recovery } from './recovery.js'
import { noop } from './workload.js'

/** The amount of measurement. */
export interface RecoveryEffort {
  readonly rounds: number
  readonly jobs: number
  /** Load before the kill, in milliseconds. A fleet has its process in reserve only after several seconds. */
  readonly warmUpMs: number
}

/** The four ways in which a worker may be killed. */
const ways: readonly { readonly kind: WorkerKind; readonly door: StoreDoor; readonly name: string }[] = [
  { kind: 'fleet', door: 'local', name: 'local door, fleet' },
  { kind: 'alone', door: 'local', name: 'local door, no fleet' },
  { kind: 'fleet', door: 'http', name: 'HTTP, fleet' },
  { kind: 'alone', door: 'http', name: 'HTTP, no fleet' },
]

/**
 * Measures only the recovery after the kill of a worker, in turns. Returns the median of each figure, with the
 * minimum and the maximum in its name.
 */
export async function measuredRecoveries(
  { rounds, jobs, warmUpMs }: RecoveryEffort,
  programs: JobPrograms,
  named = '',
): Promise<readonly Figure[]> {
  const found = new Map<string, Figure[]>()
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, kind, door } of ways.filter((way) => way.name.startsWith(named))) {
      const figures = await apart(programs, { slots: 256, kind, door }, async (running) => {
        const startedMs = performance.now()
        do await together(running.client, noop, { count: jobs, atOnce: 200 })
        while (performance.now() - startedMs < warmUpMs)
        return recovery(running, name, jobs)
      })
      for (const figure of figures) found.set(figure.name, [...(found.get(figure.name) ?? []), figure])
    }
  }
  return [...found.values()].flatMap(middle)
}

function middle(figures: readonly Figure[]): Figure[] {
  const [figure] = figures
  if (figure === undefined) return []
  const values = figures.map(({ value }) => value)
  const range = `${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)}`
  return [{ ...figure, name: `${figure.name} (${range})`, value: median(values) }]
}
