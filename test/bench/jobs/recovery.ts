import process from 'node:process'
import type { Figure } from '../figure.js'
import type { Apart } from './apart.js'
import { begin } from './load.js'
import { lingering } from './workload.js'

/**
 * Kills the worker while jobs run, and waits for all of them. The leases of the killed worker are freed by
 * the fleet's parent (D11), or by the next worker, which sees that the process has ended. That worker repeats
 * the attempts that were under way.
 */
export async function recovery(
  { client, workerId, replaceWorker }: Apart,
  where: string,
  jobs: number,
): Promise<readonly Figure[]> {
  const victim = await workerId()
  const ends = await Promise.all(Array.from({ length: jobs }, () => begin(client, lingering)))
  process.kill(victim, 'SIGKILL')
  replaceWorker()
  const killedAtMs = performance.now()
  const done = await client.list({ state: 'Processed', workflow: lingering.name, limit: jobs })
  await Promise.all(ends.map((end) => end()))
  const tookMs = performance.now() - killedAtMs
  const ended = await client.list({ state: 'Processed', workflow: lingering.name, limit: jobs })
  return [
    { name: `${where}: jobs under way when the worker is killed`, value: jobs - done.length, unit: '' },
    {
      name: `${where}: from the kill to the last result`,
      value: tookMs / 1_000,
      unit: 's',
      target: { atMost: 1.5 },
    },
    { name: `${where}: jobs lost`, value: jobs - ended.length, unit: '', target: { atMost: 0 } },
  ]
}
