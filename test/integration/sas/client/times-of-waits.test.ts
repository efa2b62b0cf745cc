import { expect, it } from 'vitest'
import { defineAgent } from '../../../../src/sas/agents/agent.js'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { defineWorkflow } from '../../../../src/sas/index.js'
import { shop } from '../../../support/a-job.js'
import { StateWorld } from '../../../support/state-world.js'

const dayMs = 86_400_000

function tookMs(
  step: { readonly startedAt: string | null; readonly endedAt: string | null } | undefined,
): number {
  return Date.parse(step?.endedAt ?? '') - Date.parse(step?.startedAt ?? '')
}

it.each([
  ['3d', 3 * dayMs],
  [{ until: '2026-01-03T00:00:00Z' }, 2 * dayMs],
] as const)('the time of a sleep does not count for the step after it (%o)', async (time, sleptMs) => {
  const world = new StateWorld()
  const client = new JobClient(world)
  const napping = defineWorkflow('napping', (job) => {
    const nap = job.sleep('nap', time)
    job.step('ship', shop.sell, { item: 'x' }, { undo: 'none', after: [nap] })
  })
  await client.submit(napping, null, { jobId: 'job-1' })
  await world.run()
  const supervisor = world.supervisor()
  await supervisor.runOnce()
  await world.clock.advance(sleptMs + 5_000)
  await supervisor.runOnce()
  await world.run()
  const view = await (await client.get('job-1'))?.view()
  const [nap, ship] = view?.steps ?? []
  expect(view?.state).toBe('Processed')
  expect(tookMs(nap)).toBe(sleptMs)
  expect(tookMs(ship)).toBeLessThan(60_000)
})

it('the time of a question without an answer begins when it was asked, although the steps before it were undone', async () => {
  const world = new StateWorld()
  const client = new JobClient(world)
  const bank = defineAgent('bank', { pay: () => 'paid', back: () => null })
  const asking = defineWorkflow('asking', (job) => {
    const nap = job.sleep('nap', '1h')
    const paid = job.step('pay', bank.pay, null, { undo: () => bank.back(null), after: [nap] })
    job.ask('approve', { title: 'x', completeWithin: '10s', after: [paid] })
    job.onExhausted('compensate')
  })
  await client.submit(asking, null, { jobId: 'job-1' })
  const [scheduler, agents, supervisor] = [
    world.scheduler(),
    world.agents({ agents: [bank] }),
    world.supervisor(),
  ]
  while ((await world.job()).endedAtMs === null) {
    await supervisor.runOnce()
    for (let page = await world.changes(); page.length > 0; page = await world.changes()) {
      await scheduler.onChanges(page)
      await agents.onChanges(page, { signal: new AbortController().signal, wasHeldAt: () => true })
      await agents.stop(1_000)
    }
    await world.clock.advance(5_000)
  }
  const view = await (await client.get('job-1'))?.view()
  expect(view?.state).toBe('Compensated')
  expect(tookMs(view?.steps.find(({ stepId }) => stepId === 'approve'))).toBeLessThan(60_000)
})
