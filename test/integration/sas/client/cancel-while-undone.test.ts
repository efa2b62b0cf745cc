import { beforeEach, describe, expect, it } from 'vitest'
import { defineAgent } from '../../../../src/sas/agents/agent.js'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { defineWorkflow } from '../../../../src/sas/index.js'
import { StateWorld } from '../../../support/state-world.js'

const calls: string[] = []
const bank = defineAgent('bank', {
  pay: ({ of }: { readonly of: string }, context) => {
    calls.push(of)
    return of === 'bad' ? context.failPermanently('refused') : of
  },
  back: (_input: { readonly of: string }) => null,
})
const buying = defineWorkflow('buying', (job) => {
  const paid = job.step('pay', bank.pay, { of: 'good' }, { undo: () => bank.back({ of: 'good' }) })
  job.step('ship', bank.pay, { of: 'bad' }, { undo: 'none', after: [paid] })
  job.onExhausted('compensateThenRetry', { maxGenerations: 3 })
})
const going = { signal: new AbortController().signal, wasHeldAt: () => true }

let world: StateWorld
let client: JobClient
beforeEach(async () => {
  calls.length = 0
  world = new StateWorld()
  client = new JobClient(world)
  await client.submit(buying, null, { jobId: 'job-1' })
  const [scheduler, agents] = [world.scheduler(), world.agents({ agents: [bank] })]
  while ((await world.job()).processState !== 'Compensating') {
    const page = await world.changes()
    await scheduler.onChanges(page)
    if ((await world.job()).processState === 'Compensating') break
    await agents.onChanges(page, going)
    await agents.stop(1_000)
  }
  calls.length = 0
})

async function run(): Promise<void> {
  const [scheduler, agents, supervisor] = [
    world.scheduler(),
    world.agents({ agents: [bank] }),
    world.supervisor(),
  ]
  for (let round = 0; round < 6; round += 1) {
    await supervisor.runOnce()
    for (let page = await world.changes(); page.length > 0; page = await world.changes()) {
      await scheduler.onChanges(page)
      await agents.onChanges(page, going)
      await agents.stop(1_000)
    }
    await world.clock.advance(70_000)
  }
}

describe('a job that is being undone in order to begin again', () => {
  it('does not begin again after a cancel that names it', async () => {
    await client.cancel('job-1', 'not wanted')
    await run()
    expect([calls, (await world.job()).processState]).toEqual([[], 'Compensated'])
  })

  it('does not begin again after a cancel of all jobs of its workflow', async () => {
    const report = await client.select({ workflow: 'buying' }).cancel('not wanted', { by: 'ann' })
    await run()
    expect([report.done, report.refused, calls]).toEqual([['job-1'], [], []])
  })
})
