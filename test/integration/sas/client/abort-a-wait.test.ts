import { expect, it } from 'vitest'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { StateWorld } from '../../../support/state-world.js'

async function hangingJob() {
  const world = new StateWorld()
  await world.submitted()
  const { store, queries, clock, telemetry } = world
  const job = await new JobClient({ store, queries, clock, telemetry }).get('job-1')
  if (job === null) throw new Error('there is no job')
  // No read gets an answer.
  Object.assign(store, {
    read: () => new Promise(() => undefined),
    readMany: () => new Promise(() => undefined),
  })
  return { world, job }
}

async function howItEnds(work: Promise<unknown>, world: StateWorld): Promise<string> {
  let how = 'still waits'
  work.then(
    () => (how = 'resolved'),
    (error: unknown) => (how = (error as Error).message),
  )
  await world.clock.advance(600_000)
  return how
}

it('result() rejects with the reason of its signal, even if a read gets no answer', async () => {
  const { world, job } = await hangingJob()
  const abort = new AbortController()
  const result = job.result({ signal: abort.signal })
  await world.clock.advance(1_000)
  abort.abort(new Error('enough'))
  expect(await howItEnds(result, world)).toBe('enough')
})

it('updates() rejects with the reason of its signal, even if a read gets no answer', async () => {
  const { world, job } = await hangingJob()
  const abort = new AbortController()
  const next = job.updates({ signal: abort.signal }).next()
  await world.clock.advance(1_000)
  abort.abort(new Error('enough'))
  expect(await howItEnds(next, world)).toBe('enough')
})
