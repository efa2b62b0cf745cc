import { expect, it } from 'vitest'
import { startOrderServices, workerStarter } from './fleet.js'
import { cli, run, startEmulatorProcess, type Running } from './processes.js'

interface Row {
  readonly processorName: string
  readonly leaseToken: string
  readonly owner: string | null
}

/** Leases of each role; each role is a unit of its own on the same four physical partitions. */
const partitions = 4

it('processes spread leases when one joins and gather them when it leaves (R156, R170)', async () => {
  const { env } = await startEmulatorProcess(['--port', '0', '--partitions', String(partitions)])
  const startWorker = await workerStarter({ ...env, ORDER_SERVICES_URL: await startOrderServices([]) })
  const leases = async (): Promise<Row[]> => {
    return JSON.parse((await run(cli, ['leases', '--json'], env)).stdout) as Row[]
  }

  const first = startWorker()
  const firstName = await nameOf(first)
  await first.line('"type":"lease.acquired"', 4 * partitions)
  const alone = await leases()
  expect(alone).toHaveLength(4 * partitions)
  expect(new Set(alone.map((row) => row.owner))).toEqual(new Set([firstName]))

  const second = startWorker()
  const secondName = await nameOf(second)
  await second.line('"type":"lease.acquired"', (4 * partitions) / 2)
  for (const role of ['scheduler', 'agents', 'supervisor', 'notifier']) {
    const owners = (await leases())
      .filter((row) => row.processorName === `stepward-${role}`)
      .map((row) => row.owner)
    expect(owners.filter((owner) => owner === firstName)).toHaveLength(partitions / 2)
    expect(owners.filter((owner) => owner === secondName)).toHaveLength(partitions / 2)
  }

  const ended = await second.kill('SIGTERM')
  expect(ended.code).toBe(0)
  await first.line('"type":"lease.acquired"', 4 * partitions + (4 * partitions) / 2)
  expect(new Set((await leases()).map((row) => row.owner))).toEqual(new Set([firstName]))
})

async function nameOf(worker: Running): Promise<string> {
  return (await worker.line('instance ')).split(' ')[1] ?? ''
}
