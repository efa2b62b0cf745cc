import { beforeEach, describe, expect, it } from 'vitest'
import { defineAgent } from '../../../src/sas/agents/agent.js'
import { JobClient } from '../../../src/sas/client/job-client.js'
import { itemsAgent } from '../../../src/sas/items/items-agent.js'
import { noPayloads } from '../../../src/sas/payloads/payloads.js'
import { defineWorkflow } from '../../../src/sas/workflow/workflow.js'
import { StateWorld } from '../../support/state-world.js'

const clerk = defineAgent('clerk', { settle: ({ of }: { readonly of: string }) => of })
const settling = defineWorkflow<string>('settling', (job) => {
  job.step('settle', clerk.settle, { of: job.input }, { undo: 'none' })
})
const nightly = defineWorkflow<{ readonly items: readonly string[] }>('nightly', (job) => {
  const each = job.forEach('each', job.input.items, settling, { atOnce: 3, atMost: 50 })
  return { done: each.output.done, failed: each.output.failed }
})

let world: StateWorld
let client: JobClient
beforeEach(() => {
  world = new StateWorld()
  client = new JobClient(world)
})

/** Runs a list of two items until its job has ended. */
async function run(jobId: string): Promise<void> {
  await client.submit(nightly, { items: ['a', 'b'] }, { jobId })
  const { store, clock, telemetry } = world
  const scheduler = world.scheduler()
  const items = itemsAgent({ store, clock, telemetry, payloads: noPayloads })
  const agents = world.agents({ agents: [clerk, items] })
  while ((await world.job(jobId)).endedAtMs === null) {
    const page = await world.changes()
    await scheduler.onChanges(page)
    await agents.onChanges(page, { signal: new AbortController().signal, wasHeldAt: () => true })
    await clock.advance(500)
  }
  const stopped = agents.stop(0)
  await clock.advance(1)
  await stopped
}

describe('a large list of a job with a long id', () => {
  it('does its items if their ids have at most 200 characters', async () => {
    const jobId = 'n'.repeat(200 - '/each/1'.length)
    await run(jobId)
    expect((await (await client.get(jobId))?.view())?.result).toEqual({ done: 2, failed: 0 })
    expect(await client.list({ text: `${jobId}/each/` })).toHaveLength(2)
  })

  it('fails with the length of the ids if they are longer, and its job does not end well', async () => {
    const jobId = 'n'.repeat(201 - '/each/1'.length)
    await run(jobId)
    const { processState, attention } = await world.job(jobId)
    expect(processState).toBe('Error')
    expect(attention?.message).toBe(
      'step each: the id of the last item would have 201 characters, more than 200: give the job a shorter id',
    )
  })
})
