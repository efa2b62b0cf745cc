import { expect, it } from 'vitest'
import type { JobFilter } from '../../../../src/sas/store/filters/job-filter.js'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { defineAgent } from '../../../../src/sas/agents/agent.js'
import { defineWorkflow } from '../../../../src/sas/workflow/workflow.js'
import { StateWorld } from '../../../support/state-world.js'

const desk = defineAgent('desk', {
  book: (_input: null): null => {
    throw new Error('the desk is broken')
  },
})

const going = { signal: new AbortController().signal, wasHeldAt: () => true }

/** Returns a world in which the only attempt so far has failed, and the pause after it has not ended. */
async function inRetryPause(tries: number) {
  const world = new StateWorld()
  const { store, queries, clock, telemetry } = world
  const client = new JobClient({ store, queries, clock, telemetry })
  const booking = defineWorkflow<null>('booking', (job) => {
    const retry = { tries, backoff: { min: '20s', max: '40s' } } as const
    job.step('book', desk.book, job.input, { undo: 'none', completeWithin: '2m', retry })
  })
  await client.submit(booking, null, { jobId: 'j' })
  await world.scheduler().onChanges(await world.changes())
  const agents = world.agents({ agents: [desk] })
  await agents.onChanges(await world.changes(), going)
  await agents.stop(0)
  return { world, client }
}

it('in the pause after a failed attempt, the failure counts and the next attempt is named', async () => {
  const { world, client } = await inRetryPause(3)
  const { completeBy } = await world.step('book', 'j')
  const view = await (await client.get('j'))?.view()
  expect(view?.why).toMatch(
    /^Step book failed 1 of 3 times \("the desk is broken"\) and is tried again in \d+ s, at 2026-01-01T/,
  )
  const shown = { failureCount: 1, maxFailures: 3, completeBy: null, notBefore: completeBy }
  expect(view?.steps).toMatchObject([shown])
  const listed = async (filter: JobFilter): Promise<string[]> =>
    (await client.list({ ...filter, waitingFor: 'retry' })).map(({ jobId }) => jobId)
  expect(await listed({})).toEqual(['j'])
  expect([await listed({ agent: 'desk' }), await listed({ agent: 'bank' })]).toEqual([['j'], []])
})

it('after the last attempt there is no pause, and the step is not tried again', async () => {
  const { client } = await inRetryPause(1)
  const view = await (await client.get('j'))?.view()
  expect(view?.why).toMatch(
    /^Step book failed 1 of 1 times .* and is given up as soon as the supervisor handles it/,
  )
  expect(view?.steps).toMatchObject([{ failureCount: 1, maxFailures: 1, completeBy: null, notBefore: null }])
})
