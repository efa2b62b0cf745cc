import { beforeEach, describe, expect, it } from 'vitest'
import { defineAgent } from '../../../../src/sas/agents/agent.js'
import type { Change } from '../../../../src/change-feed-processor/index.js'
import type { AskAgents } from '../../../../src/sas/supervisor/look.js'
import { StoreUnavailable } from '../../../../src/sas/model/errors.js'
import { StateWorld } from '../../../support/state-world.js'

const signal = new AbortController().signal
const going = { signal, wasHeldAt: () => true }
const joining = { signal, wasHeldAt: () => false }
const unavailable = { kind: 'throws', error: new StoreUnavailable('busy', { cause: null }) } as const

let world: StateWorld
beforeEach(() => {
  world = new StateWorld()
})

/** The next owner has read the whole range. It did not get the step, because the checkpoint of the owner that stopped is past it. */
const askAgents: AskAgents = () =>
  Promise.resolve({
    positions: [{ begunUntilMs: world.clock.now() - 3_000, lines: new Map(), isAway: false }],
    hasBegun: () => false,
    start: () => false,
  })

async function deadlinePassed(page: readonly Change[]): Promise<void> {
  const supervisor = world.supervisor({ askAgents })
  supervisor.start()
  supervisor.onChanges(page, '0')
  await world.clock.advance(50_000)
}

describe('a stop while a process enters an attempt, and the store refuses one write', () => {
  it('joining: the step loses no try, because its handler was never called', async () => {
    await world.dispatched({ pay: [] }, { completeWithin: '30s', retry: { tries: 1 } })
    const page = await world.changes()
    let calls = 0
    const agents = world.agents({
      agents: [defineAgent('shop', { sell: () => void (calls += 1), takeBack: () => null })],
    })
    // One write is throttled. All others succeed.
    world.faults.failWrites(unavailable)
    await agents.onChanges(page, joining)
    const stopped = agents.stop(0)
    await world.clock.advance(5_000)
    await stopped
    expect(calls).toBe(0)
    // Another process may be making the attempt, so its outcome must still count.
    const { fence, leftFence, lockedBy } = await world.step()
    expect({ leftFence, isOpen: lockedBy !== null }).toEqual({ leftFence: fence, isOpen: true })
    await deadlinePassed(page)
    const { failureCount, processState } = await world.step()
    expect({ calls, failureCount, processState }).toMatchObject({
      calls: 0,
      failureCount: 0,
      processState: 'Pending',
    })
  })

  it('after a wait for a slot: the step loses no try, because its handler was never called (I44)', async () => {
    await world.dispatched({ a: [], b: [] }, { completeWithin: '30s', retry: { tries: 1 } })
    const page = await world.changes()
    const begun: string[] = []
    const agent = defineAgent('shop', {
      sell: ({ item }: { readonly item: string }) => {
        begun.push(item)
        return item === begun[0]
          ? new Promise((resolve) => world.clock.schedule(6_000, () => resolve('sold')))
          : 'sold'
      },
      takeBack: () => null,
    })
    const agents = world.agents({ agents: [agent], slots: 1 })
    const delivered = agents.onChanges(page, going)
    await world.clock.advance(5_990)
    // The slot becomes free. The write of the outcome succeeds, and then one write is throttled.
    const { store } = world
    const apply = store.apply.bind(store)
    let writes = 0
    Object.assign(store, {
      apply: (partition: string, given: Parameters<typeof apply>[1]) => {
        writes += 1
        return writes === 2 ? Promise.reject(unavailable.error) : apply(partition, given)
      },
    })
    await world.clock.advance(11)
    await delivered
    const stopped = agents.stop(0)
    await world.clock.advance(5_000)
    await stopped
    // The second write was refused. The third one gives the attempt back.
    expect(writes).toBe(3)
    const waited = begun[0] === 'a' ? 'b' : 'a'
    expect(begun).not.toContain(waited)
    await deadlinePassed(page)
    const { failureCount, processState } = await world.step(waited)
    expect({ failureCount, processState }).toMatchObject({ failureCount: 0, processState: 'Pending' })
  })
})
