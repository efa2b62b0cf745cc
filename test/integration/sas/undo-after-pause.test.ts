import { beforeEach, describe, expect, it } from 'vitest'
import { defineAgent } from '../../../src/sas/agents/agent.js'
import { JobClient } from '../../../src/sas/client/job-client.js'
import { StateWorld } from '../../support/state-world.js'

const going = { signal: new AbortController().signal, wasHeldAt: () => true }
const never = () => new Promise<never>(() => undefined)

let world: StateWorld
beforeEach(() => {
  world = new StateWorld()
})

describe('F-K2: an undo waits for the deadline of the attempt that was given back', () => {
  it('also if its job is paused and resumed meanwhile, and the step waited for a rate', async () => {
    const limits = [{ key: 'bank', perSecond: 0.02 }]
    await world.dispatched({ pay: [] }, { completeWithin: '30s', retry: { tries: 2 }, undo: true, limits })
    const scheduler = world.scheduler()
    let page = await world.changes()
    for (let i = 0; i < 3 && (await world.step()).lockedBy === null; i += 1) {
      await scheduler.onChanges(page)
      page = await world.changes()
    }
    let undoneAtMs: number | null = null
    const agent = defineAgent('shop', {
      sell: never,
      takeBack: () => {
        undoneAtMs = world.clock.now()
        return null
      },
    })
    const agents = world.agents({ agents: [agent] })
    await agents.onChanges(page, going)
    const { completeByMs: deadlineMs } = await world.step()
    const stopped = agents.stop(0)
    await world.clock.advance(2_000)
    await stopped
    for (let i = 0; i < 5; i += 1) {
      await scheduler.onChanges(await world.changes())
      await world.clock.advance(100)
    }
    const { store, queries, clock, telemetry } = world
    const client = new JobClient({ store, queries, clock, telemetry })
    await client.cancel('job-1', 'no longer wanted')
    await scheduler.onChanges(await world.changes())
    await scheduler.onChanges(await world.changes())
    expect(await world.step()).toMatchObject({ direction: 'undo', lockedBy: null, notBeforeMs: deadlineMs })
    await client.pause('job-1', 'a moment')
    await scheduler.onChanges(await world.changes())
    await client.resume('job-1')
    for (let i = 0; i < 5; i += 1) {
      const changes = await world.changes()
      await scheduler.onChanges(changes)
      await world.agents({ agents: [agent], instanceName: 'agents-2' }).onChanges(changes, going)
      await world.clock.advance(10)
    }
    const leftMs = (deadlineMs ?? 0) - clock.now()
    expect(leftMs).toBeGreaterThan(10_000)
    expect(
      undoneAtMs,
      `the undo began ${leftMs} ms before the handler of the operation must have ended`,
    ).toBe(null)
  })
})
