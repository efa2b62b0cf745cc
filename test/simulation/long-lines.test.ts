import { expect, it } from 'vitest'
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

/** A world with these hosts, which have agents with few slots. */
function stageWith(hosts: readonly Host[]) {
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
  const ended = new Map<number, string>()
  const submit = async (number: number): Promise<void> => {
    const [process] = fleet.processes
    if (process === undefined) throw new Error('no process runs')
    const job = await fleet.client(process).submit(filing, { number }, { jobId: `job-${number}` })
    job.result().then(
      () => ended.set(number, 'done'),
      (error: unknown) => ended.set(number, String(error)),
    )
  }
  return { world, fleet, called, ended, submit }
}

it.each([
  ['one host has all roles', twoHosts.slice(0, 1)],
  ['each role has its own host', oneHostPerRole],
  ['two hosts have all roles', twoHosts],
])('no step loses an attempt while it waits for a slot, if %s (I44)', async (_where, hosts) => {
  const { world, fleet, called, ended, submit } = stageWith(hosts)
  for (const { computer } of hosts) fleet.start(computer)
  await world.runUntil(() => false, minuteMs)
  // The agents cannot do all these jobs before the deadlines of three attempts have passed.
  const numbers = Array.from({ length: jobCount }, (_, number) => number)
  const submitted = Promise.all(numbers.map(submit))
  await world.runUntil(() => ended.size === jobCount, 30 * minuteMs)
  await submitted
  const lost = ended.get(hanging)
  ended.delete(hanging)
  expect(new Set(ended.values())).toEqual(new Set(['done']))
  expect([...called].sort((one, other) => one - other)).toEqual(
    numbers.flatMap((number) => Array.from({ length: number === hanging ? tries : 1 }, () => number)),
  )
  expect(lost).toContain('given up after 3 failed attempts')
})

it('an attempt that hangs counts as failed, even if the agents were behind when they began it', async () => {
  const { world, fleet, called, ended, submit } = stageWith(oneHostPerRole)
  const [agents, ...others] = [...oneHostPerRole].sort(({ roles }) => (roles[0] === 'agents' ? -1 : 1))
  for (const { computer } of others) fleet.start(computer)
  await world.runUntil(() => false, minuteMs)
  await Promise.all([submit(hanging), world.runUntil(() => false, 7_000)])
  if (agents !== undefined) fleet.start(agents.computer)
  await world.runUntil(() => ended.size === 1, 5 * minuteMs)
  expect(called).toEqual([hanging, hanging, hanging])
  expect(ended.get(hanging)).toContain('given up after 3 failed attempts')
})
