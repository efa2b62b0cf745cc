import process from 'node:process'
import type { Figure } from '../figure.js'
import type { Apart } from './apart.js'
import { begin } from './load.js'
import { lingering } from './workload.js'

/**
 * Kills the worker while jobs run, and waits for all of them. Its successor takes the leases at once (D11).
 * The steps of the killed worker are tried again when their deadline of five seconds has passed.
 */
export async function recovery({ client, workerId }: Apart, jobs: number): Promise<readonly Figure[]> {
  const victim = await workerId()
  const ends = await Promise.all(Array.from({ length: jobs }, () => begin(client, lingering)))
  process.kill(victim, 'SIGKILL')
  const killedAtMs = performance.now()
  const done = await client.list({ state: 'Processed', workflow: lingering.name, limit: jobs })
  await Promise.all(ends.map((end) => end()))
  const tookMs = performance.now() - killedAtMs
  const ended = await client.list({ state: 'Processed', workflow: lingering.name, limit: jobs })
  return [
    { name: 'recovery: jobs under way when the worker is killed', value: jobs - done.length, unit: '' },
    { name: 'recovery: from the kill to the last result', value: tookMs / 1_000, unit: 's' },
    { name: 'recovery: jobs lost', value: jobs - ended.length, unit: '', target: { atMost: 0 } },
  ]
}
