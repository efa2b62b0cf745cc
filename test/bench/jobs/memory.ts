import { readFileSync } from 'node:fs'
import { systemClock } from 'stepward'
import type { Figure } from '../figure.js'
import { apart, type JobPrograms, type StoreDoor } from './apart.js'
import { together } from './load.js'
import { processorTimeMs } from './processor-time.js'
import { noop } from './workload.js'

/** The amount of measurement. */
export interface MemoryEffort {
  /** Jobs before the measurement, and jobs that are measured. */
  readonly jobs: number
  readonly atOnce: number
  /** The time without jobs before memory is read again. */
  readonly restMs: number
  /** Options of Node for the store and the worker. Those of a fleet's worker come before them. */
  readonly nodeOptions: readonly string[]
}

const sampleEveryMs = 100
const slots = 256

/**
 * Measures the resident memory of a store and of the worker of a fleet, at its highest while jobs run and after a
 * rest, with the processor time that the jobs take. Both run with the options that users get.
 */
export async function measuredMemory(
  effort: MemoryEffort,
  programs: JobPrograms,
  door: StoreDoor,
): Promise<readonly Figure[]> {
  const { jobs, atOnce, restMs, nodeOptions } = effort
  return apart(programs, { slots, kind: 'fleet', door, nodeOptions }, async (running) => {
    const processes = { store: running.storeId, worker: await running.workerId() }
    const load = (): Promise<number> => together(running.client, noop, { count: jobs, atOnce })
    await load()
    const before = Object.values(processes).map(processorTimeMs)
    const highest = await highestDuring(load, Object.values(processes))
    const after = Object.values(processes).map(processorTimeMs)
    await systemClock.sleep(restMs)
    return Object.entries(processes).flatMap(([name, processId], index): Figure[] => [
      {
        name: `${door}: ${name} under load`,
        value: highest[index] ?? 0,
        unit: 'MiB',
        target: { atMost: 150 },
      },
      {
        name: `${door}: ${name} after ${restMs / 1_000} s`,
        value: memoryMiB(processId, 'VmRSS'),
        unit: 'MiB',
        target: { atMost: 110 },
      },
      {
        name: `${door}: ${name} after ${restMs / 1_000} s, without the pages of files`,
        value: memoryMiB(processId, 'RssAnon'),
        unit: 'MiB',
      },
      {
        name: `${door}: processor time per job, ${name}`,
        value: ((after[index] ?? 0) - (before[index] ?? 0)) / jobs,
        unit: 'ms',
      },
    ])
  })
}

async function highestDuring(load: () => Promise<unknown>, processIds: readonly number[]): Promise<number[]> {
  let isOver = false
  const highest = processIds.map(() => 0)
  const loading = load().finally(() => (isOver = true))
  do {
    for (const [index, id] of processIds.entries())
      highest[index] = Math.max(highest[index] ?? 0, memoryMiB(id, 'VmRSS'))
    await systemClock.sleep(sampleEveryMs)
  } while (!isOver)
  await loading
  return highest
}

/** Returns the resident memory of a process. Only Linux shows that of other processes as a file. */
function memoryMiB(processId: number, kind: 'VmRSS' | 'RssAnon'): number {
  const text = readFileSync(`/proc/${processId}/status`, 'utf8')
  const line = text.split('\n').find((each) => each.startsWith(`${kind}:`))
  return Number(/\d+/.exec(line ?? '')?.[0] ?? Number.NaN) / 1_024
}
