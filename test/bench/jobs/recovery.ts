import process from 'node:process'
import type { Figure } from '../figure.js'
import type { Apart } from './apart.js'
import { begin } from './load.js'
import { processorTimeMs } from './processor-time.js'
import { lingering } from './workload.js'

/**
 * Kills the worker while jobs run, and waits for all of them. The leases of the killed worker are freed by
 * the fleet's parent (D11), or by the next worker, which sees that the process has ended. That worker repeats
 * the attempts that were under way.
 */
export async function recovery(running: Apart, where: string, jobs: number): Promise<readonly Figure[]> {
  const { client, storeId, workerId, replaceWorker } = running
  const victim = await workerId()
  const ends = await Promise.all(Array.from({ length: jobs }, () => begin(client, lingering)))
  const before = { store: processorTimeMs(storeId), client: processorTimeMs(process.pid) }
  process.kill(victim, 'SIGKILL')
  replaceWorker()
  const killedAtMs = performance.now()
  const done = await client.list({ state: 'Processed', workflow: lingering.name, limit: jobs })
  const endedAtMs = await Promise.all(ends.map((end) => end().then(() => performance.now() - killedAtMs)))
  const tookMs = Math.max(...endedAtMs)
  const after = { store: processorTimeMs(storeId), client: processorTimeMs(process.pid) }
  const successor = processorTimeMs(await workerId())
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
    ...stages(running, killedAtMs, where),
    {
      name: `${where}: from the kill to half of the results`,
      value: (endedAtMs.sort((a, b) => a - b)[jobs >> 1] ?? Number.NaN) / 1_000,
      unit: 's',
    },
    ...spent(where, 'store', before.store, after.store),
    ...spent(where, 'client', before.client, after.client),
    ...spent(where, 'successor, with its start,', 0, successor),
  ]
}

/** Returns the times at which the successor's log has its first and last line of each kind. */
function stages({ logged }: Apart, killedAtMs: number, where: string): readonly Figure[] {
  const since = logged().filter(({ atMs }) => atMs >= killedAtMs)
  const at = (type: string, pick: 'first' | 'last'): Figure[] => {
    const times = since.filter((line) => line.type === type).map(({ atMs }) => atMs)
    if (times.length === 0) return []
    const value = ((pick === 'first' ? Math.min(...times) : Math.max(...times)) - killedAtMs) / 1_000
    return [{ name: `${where}: from the kill to the ${pick} ${type}`, value, unit: 's' }]
  }
  return [
    ...at('instance.ended', 'first'),
    ...at('instance.leasesReleased', 'last'),
    ...at('lease.acquired', 'first'),
    ...at('lease.acquired', 'last'),
    ...at('host.started', 'first'),
  ]
}

function spent(where: string, who: string, fromMs: number | null, toMs: number | null): readonly Figure[] {
  if (fromMs === null || toMs === null) return []
  return [{ name: `${where}: processor time, ${who}`, value: (toMs - fromMs) / 1_000, unit: 's' }]
}
