import { describe, expect, it } from 'vitest'
import { aWorkflow } from '../../../support/a-job.js'
import { processesWorld, storedJob, twoProcesses } from '../../../support/processes-world.js'

const oneStep = aWorkflow({ a: [] }, { completeWithin: '2m' })
async function graceful(keepsDocuments: boolean) {
  const { w, calls, one, two } = await twoProcesses(30_000, keepsDocuments)
  await one.client.submit(oneStep, {}, { jobId: 'job-1' })
  await w.clock.advance(500)
  const before = await storedJob(w)
  const stopped = Promise.all([one.scheduler.stop(), one.agents.stop()])
  await w.clock.advance(100)
  const startedTwo = Promise.all([two.scheduler.start(), two.agents.start()])
  await w.clock.advance(90_000)
  await Promise.all([stopped, startedTwo])
  const job = await storedJob(w)
  const end = Promise.all([two.scheduler.stop(), two.agents.stop()])
  await w.clock.advance(70_000)
  await end
  return { calls, planned: before['planned'], state: job['processState'], timers: w.clock.pendingTimers }
}

async function onlyScheduler(keepsDocuments: boolean, role: 'scheduler' | 'agents') {
  const { w, calls, one, two } = await twoProcesses(20_000, keepsDocuments)
  await one.client.submit(oneStep, {}, { jobId: 'job-1' })
  await w.clock.advance(500)
  const stopped = one[role].stop()
  await w.clock.advance(100)
  const startedTwo = two[role].start()
  await w.clock.advance(90_000)
  await Promise.all([stopped, startedTwo])
  const job = await storedJob(w)
  return { calls, state: job['processState'] }
}

describe('attempts that only their jobs have, compared with attempts that have documents (F-A32)', () => {
  it('are called as often when their host stops and gives them time', async () => {
    const [branch, documents] = [await graceful(false), await graceful(true)]
    expect(branch.calls).toHaveLength(documents.calls.length)
  })
  it.each(['scheduler', 'agents'] as const)(
    'are called as often when only the role %s moves',
    async (role) => {
      const [branch, documents] = [await onlyScheduler(false, role), await onlyScheduler(true, role)]
      expect(branch.calls).toHaveLength(documents.calls.length)
    },
  )
  it.each([
    { roles: ['agents'] as const },
    { roles: ['scheduler'] as const },
    { roles: ['scheduler', 'agents'] as const },
  ])('are called as often when another instance takes some leases of $roles', async ({ roles }) => {
    const results: Record<string, unknown>[] = []
    for (const keepsDocuments of [false, true]) {
      const w = processesWorld(4)
      const calls: string[] = []
      const one = w.process('one', calls, { handlerMs: 40_000, keepsDocuments })
      const two = w.process('two', calls, { handlerMs: 40_000, keepsDocuments })
      const started = Promise.all([one.scheduler.start(), one.agents.start()])
      await w.clock.advance(5_000)
      await started
      const startedTwo = Promise.all(roles.map((role) => two[role].start()))
      // Jobs of one short step each begin all the time while the leases move.
      for (let at = 0; at < 120; at += 1) {
        await one.client.submit(oneStep, {}, { jobId: `job-${at}` })
        await w.clock.advance(500)
      }
      await w.clock.advance(90_000)
      await startedTwo
      const names = calls.map((call) => call.split(' ')[0])
      results.push({
        calls: calls.length,
        of: [...new Set(names)],
        recovered: w.telemetry.of('step.recovered').length,
      })
      const end = Promise.all([one, two].flatMap((each) => [each.scheduler.stop(), each.agents.stop()]))
      await w.clock.advance(70_000)
      await end
    }
    expect(results[0]?.['calls']).toBe(results[1]?.['calls'])
  })

  it('do not wait for their deadline when two hosts stop one after the other', async () => {
    const results: { doneAfterMs: number | null; calls: string[] }[] = []
    for (const keepsDocuments of [true, false]) {
      const w = processesWorld()
      const calls: string[] = []
      const [one, two, three] = ['one', 'two', 'three'].map((name) =>
        w.process(name, calls, { handlerMs: 30_000, keepsDocuments, stopBudget: 5_000 }),
      )
      if (one === undefined || two === undefined || three === undefined) throw new Error('three processes')
      const start = async (each: typeof one): Promise<void> => {
        const started = Promise.all([each.scheduler.start(), each.agents.start()])
        await w.clock.advance(1_000)
        await started
      }
      const supervised = w.supervisor.start()
      await start(one)
      await w.clock.advance(4_000)
      await supervised
      await one.client.submit(aWorkflow({ a: [] }, { completeWithin: '1h' }), {}, { jobId: 'job-1' })
      const begunAtMs = w.clock.monotonic()
      await w.clock.advance(2_000)
      // The deployment: the first host stops, its successor starts; a little later the same happens to the second.
      const stopped = [Promise.all([one.scheduler.stop(), one.agents.stop()])]
      await w.clock.advance(100)
      await start(two)
      await w.clock.advance(9_000)
      stopped.push(Promise.all([two.scheduler.stop(), two.agents.stop()]))
      await w.clock.advance(100)
      await start(three)
      let doneAfterMs: number | null = null
      for (let at = 0; at < 400 && doneAfterMs === null; at += 1) {
        await w.clock.advance(10_000)
        if ((await storedJob(w))['processState'] === 'Processed')
          doneAfterMs = w.clock.monotonic() - begunAtMs
      }
      await Promise.all(stopped)
      results.push({ doneAfterMs, calls })
    }
    expect(results[0]?.doneAfterMs).toBeLessThan(120_000)
    expect(results[1]?.doneAfterMs).toBeLessThan(120_000)
  })
})
