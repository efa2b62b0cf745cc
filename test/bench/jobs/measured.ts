import process from 'node:process'
import type { JobClient } from 'stepward'
import type { Figure } from '../figure.js'
import { apart, type JobPrograms } from './apart.js'
import { alone, together } from './load.js'
import { inOneProcess } from './one-process.js'
import { processorTimeMs } from './processor-time.js'
import { recovery } from './recovery.js'
import { noop } from './workload.js'

/** The amount of measurement. */
export interface JobsEffort {
  /** Jobs that run one after another. Twice as many run before, to warm up. */
  readonly alone: number
  /** Jobs of which {@link atOnce} run at any time. */
  readonly together: number
  readonly atOnce: number
  /** Jobs that run when the worker is killed, or 0 for no such measurement. */
  readonly killed: number
}

export const fullJobsEffort: JobsEffort = { alone: 300, together: 4_000, atOnce: 200, killed: 200 }
export const quickJobsEffort: JobsEffort = { alone: 50, together: 1_000, atOnce: 200, killed: 200 }

/** Slots for handlers: more than the jobs that run at once, so that none waits. */
const slots = 256

/** Makes all measurements, one after the other. */
export async function measuredJobs(effort: JobsEffort, programs: JobPrograms): Promise<readonly Figure[]> {
  const here = { processes: { 'the process': process.pid }, targets: { p50Ms: 10, perSecond: 400 } }
  const inOne = await inOneProcess({ slots, isThroughSdk: false }, (client) =>
    load(client, effort, { where: '(i) one process', ...here }),
  )
  const bySdk = await inOneProcess({ slots, isThroughSdk: true }, (client) =>
    load(client, effort, { where: '(i) one process, through the SDK', ...here }),
  )
  const atTheDoor = await apart(programs, { slots, kind: 'fleet', door: 'local' }, async (running) => [
    ...(await load(running.client, effort, {
      where: '(ii) apart, local door',
      processes: { store: running.storeId, worker: await running.workerId(), client: process.pid },
      targets: { p50Ms: 10, perSecond: 580 },
    })),
    ...(effort.killed === 0 ? [] : await recovery(running, 'recovery at the local door', effort.killed)),
  ])
  const inMany = await apart(programs, { slots, kind: 'fleet', door: 'http' }, async (running) => [
    ...(await load(running.client, effort, {
      where: '(iii) apart, SDK over HTTP',
      processes: { store: running.storeId, worker: await running.workerId(), client: process.pid },
      targets: { p50Ms: 25, perSecond: 200 },
    })),
    ...(effort.killed === 0 ? [] : await recovery(running, 'recovery over HTTP', effort.killed)),
  ])
  if (effort.killed === 0) return [...inOne, ...bySdk, ...atTheDoor, ...inMany]
  const alone = await apart(programs, { slots, kind: 'alone', door: 'local' }, async (running) => {
    await together(running.client, noop, { count: effort.together, atOnce: effort.atOnce })
    return recovery(running, 'recovery at the local door without a fleet', effort.killed)
  })
  return [...inOne, ...bySdk, ...atTheDoor, ...inMany, ...alone]
}

/** The place of the load, and its targets. */
interface Place {
  readonly where: string
  /** The ids of the processes whose processor time is shown. */
  readonly processes: Readonly<Record<string, number>>
  readonly targets: { readonly p50Ms: number; readonly perSecond: number }
}

/**
 * Runs single jobs, then many at a time. For the latter it also measures processor time, which may limit the
 * rate.
 */
async function load(client: JobClient, effort: JobsEffort, place: Place): Promise<readonly Figure[]> {
  const { where, processes, targets } = place
  await together(client, noop, { count: effort.alone * 2, atOnce: effort.atOnce })
  const took = (await alone(client, noop, effort.alone)).sort((a, b) => a - b)
  const before = Object.values(processes).map(processorTimeMs)
  const elapsedMs = await together(client, noop, { count: effort.together, atOnce: effort.atOnce })
  const rate = (effort.together * 1_000) / elapsedMs
  return [
    { ...single(where, took, 50), target: { atMost: targets.p50Ms } },
    single(where, took, 95),
    single(where, took, 99),
    {
      name: `${where}: jobs, ${effort.atOnce} under way`,
      value: rate,
      unit: '/s',
      target: { atLeast: targets.perSecond },
    },
    ...Object.entries(processes).flatMap(([name, processId], index): Figure[] => {
      const [from = null, to] = [before[index], processorTimeMs(processId)]
      if (from === null || to === null) return []
      const busy = `${Math.round(((to - from) * 100) / elapsedMs)} % of a core`
      return [
        {
          name: `${where}: processor time per job, ${name} (${busy})`,
          value: (to - from) / effort.together,
          unit: 'ms',
        },
      ]
    }),
  ]
}

function single(where: string, sorted: readonly number[], percent: number): Figure {
  const value = sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN
  return { name: `${where}: single job, p${percent}`, value, unit: 'ms' }
}
