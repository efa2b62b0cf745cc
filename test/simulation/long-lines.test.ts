import { expect, it } from 'vitest'
import { seededRandom } from '../../src/platform/index.js'
import { defineAgent, defineWorkflow } from '../../src/sas/index.js'
import { JobFleet } from '../../src/testing/job-fleet.js'
import type { SimulatedProcess } from '../../src/testing/simulated-process.js'
import { World } from '../../src/testing/world.js'
import { oneHostPerRole, twoHosts, type Host } from './job-scene.js'

const minuteMs = 60_000
const [jobCount, slots, workMs, tries] = [60, 2, 8_000, 3] as const
/** The number of the job whose handler never answers. */
const hanging = 7

const planned = defineAgent('clerk', { file: (input: { readonly number: number }) => input })
const filing = defineWorkflow<{ readonly number: number }>('filing', (job) => {
  job.step(
    'file',
    planned.file,
    { number: job.input.number },
    {
      completeWithin: '20s',
      retry: { tries },
      undo: 'none',
    },
  )
})

/** Submits more jobs at once than the agents can do before the deadlines of three attempts have passed. */
async function runLine(hosts: readonly Host[]) {
  const world = new World({ seed: 1 })
  const called: number[] = []
  const clerk = ({ clock }: SimulatedProcess) =>
    defineAgent('clerk', {
      file: ({ number }: { readonly number: number }) => {
        called.push(number)
        return clock.sleep(number === hanging ? Infinity : workMs).then(() => ({ number }))
      },
    })
  const fleet = new JobFleet(world, {
    agents: (process) => [clerk(process)],
    slots,
    rolesOn: (computer) => hosts.find((host) => host.computer === computer)?.roles ?? [],
  })
  for (const { computer } of hosts) fleet.start(computer)
  await world.runUntil(() => false, minuteMs)
  const [process] = fleet.processes
  if (process === undefined) throw new Error('no process runs')
  const client = fleet.client(process)
  const random = seededRandom(1)
  const ended = new Map<number, string>()
  const numbers = Array.from({ length: jobCount }, (_, number) => number).sort(() => random.next() - 0.5)
  const results = numbers.map(async (number) => {
    const job = await client.submit(filing, { number }, { jobId: `job-${number}` })
    await job.result().then(
      () => ended.set(number, 'done'),
      (error: unknown) => ended.set(number, String(error)),
    )
  })
  await world.runUntil(() => ended.size === jobCount, 30 * minuteMs)
  await Promise.all(results)
  const lost = ended.get(hanging)
  ended.delete(hanging)
  const callsOf = (isHanging: boolean): number =>
    called.filter((number) => (number === hanging) === isHanging).length
  return { ended: [...new Set(ended.values())], calls: callsOf(false), lost, lostCalls: callsOf(true) }
}

it.each([
  ['one host has all roles', twoHosts.slice(0, 1)],
  ['each role has its own host', oneHostPerRole],
  ['two hosts have all roles', twoHosts],
])('no step loses an attempt while it waits for a slot, if %s (I44)', async (_where, hosts) => {
  const line = await runLine(hosts)
  expect(line).toMatchObject({ ended: ['done'], calls: jobCount - 1, lostCalls: tries })
  expect(line.lost).toContain('given up after 3 failed attempts')
})
