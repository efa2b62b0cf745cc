import { median, type Figure } from '../figure.js'
import { apart, type Apart, type JobPrograms } from '../jobs/apart.js'
import { together } from '../jobs/load.js'
import { noop } from '../jobs/workload.js'

/** The amount of measurement. */
export interface WorkersEffort {
  readonly jobs: number
  readonly rounds: number
}

/** The partitions of the store: each worker gets one lease of each role. */
const partitions = 2
const atOnce = 200

/** Compares two workers with one, in turns. Store and client have their own processes and share the machine. */
export async function measuredWorkers(
  { jobs, rounds }: WorkersEffort,
  programs: JobPrograms,
): Promise<readonly Figure[]> {
  const rates = new Map([1, 2].map((workers): [number, number[]] => [workers, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const [workers, measured] of rates) {
      const setting = { slots: 256, kind: 'fleet', door: 'local', workers, partitions } as const
      measured.push(await apart(programs, setting, (running) => jobsPerSecond(running, workers, jobs)))
    }
  }
  const [one = [], two = []] = [...rates.values()]
  return [
    { name: `one worker, ${partitions} feed ranges (${range(one)})`, value: median(one), unit: 'jobs/s' },
    { name: `two workers, ${partitions} feed ranges (${range(two)})`, value: median(two), unit: 'jobs/s' },
    { name: 'two workers ÷ one', value: median(two) / median(one), unit: '×' },
  ]
}

async function jobsPerSecond({ client, leasesOwned }: Apart, workers: number, jobs: number): Promise<number> {
  await together(client, noop, { count: Math.ceil(jobs / 4), atOnce })
  // Jobs fill the time until each worker has a lease of each role.
  for (let owned = await leasesOwned(); isUneven(owned, workers); owned = await leasesOwned())
    await together(client, noop, { count: atOnce, atOnce })
  await together(client, noop, { count: Math.ceil(jobs / 4), atOnce })
  return (jobs * 1_000) / (await together(client, noop, { count: jobs, atOnce }))
}

function range(values: readonly number[]): string {
  return `${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)}`
}

function isUneven(leasesOwned: readonly number[], workers: number): boolean {
  return leasesOwned.length < workers || leasesOwned.includes(0)
}
