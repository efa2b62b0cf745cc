import { expect, it } from 'vitest'
import { defineAgent, defineWorkflow } from '../../src/sas/index.js'
import { JobFleet } from '../../src/testing/job-fleet.js'
import { World } from '../../src/testing/world.js'
import { twoHosts } from './job-scene.js'

const minuteMs = 60_000
/** More lists than a process serves at once. */
const lists = 160

const clerk = defineAgent('clerk', { file: (input: { readonly of: number }) => input })
const item = defineWorkflow<{ readonly of: number }>('item', (job) => {
  job.step('file', clerk.file, { of: job.input.of }, { undo: 'none', completeWithin: '1h' })
})
const nightly = defineWorkflow<{ readonly items: readonly { readonly of: number }[] }>('nightly', (job) => {
  job.forEach('each', job.input.items, item, { completeWithin: '10s', retry: { tries: 1 } })
})

/** Two hosts with all roles, whose items take three minutes. */
function twoSlowHosts(world: World): JobFleet {
  return new JobFleet(world, {
    agents: ({ clock }) => [
      defineAgent('clerk', {
        file: async (input: { readonly of: number }) => {
          await clock.sleep(3 * minuteMs)
          return input
        },
      }),
    ],
    slots: 1_000,
    partitionCount: 4,
    rolesOn: (computer) => twoHosts.find((host) => host.computer === computer)?.roles ?? [],
  })
}

it('no list loses a try if a second host takes leases while lists wait for a round (I44)', async () => {
  const world = new World({ seed: 1 })
  const fleet = twoSlowHosts(world)
  const pass = (ms: number) => world.runUntil(() => false, ms)
  const [first, second] = twoHosts
  if (first === undefined || second === undefined) throw new Error('there are not two hosts')
  fleet.start(first.computer)
  await pass(minuteMs)
  const [process] = fleet.processes
  if (process === undefined) throw new Error('no process runs')
  const client = fleet.client(process)
  const ends: string[] = []
  const submitted = Array.from({ length: lists }, async (_, index) => {
    const job = await client.submit(nightly, { items: [{ of: index }] }, { jobId: `night-${index}` })
    job.result().then(
      () => ends.push('done'),
      (error: unknown) => ends.push(String(error)),
    )
  })
  fleet.start(second.computer)
  await Promise.all([...submitted, pass(10_000)])
  await pass(8 * minuteMs)
  expect(ends).toEqual(Array.from({ length: lists }, () => 'done'))
})
