import { describe, expect, it } from 'vitest'
import type { ProcessorTiming } from '../../../src/change-feed-processor/index.js'
import { FeedHints } from '../../../src/change-feed-processor/internal.js'
import { enginePorts } from '../../../src/engine-ports/index.js'
import { CosmosEngine } from '../../../src/emulator/internal.js'
import { seededRandom, VirtualClock } from '../../../src/platform/index.js'
import { defineAgent, type Agent } from '../../../src/sas/agents/agent.js'
import { createAgents, createScheduler, createSupervisor } from '../../../src/sas/deployment-unit.js'
import type { Unit, UnitOptions } from '../../../src/sas/role-unit.js'
import { pausesDocumentId } from '../../../src/sas/model/document-ids.js'
import { InProcessPath } from '../../../src/sas/in-process/in-process-path.js'
import { JobClient } from '../../../src/sas/client/job-client.js'
import { TelemetryRecorder } from '../../../src/telemetry/index.js'
import { aWorkflow, shop, submittedAtMs } from '../../support/a-job.js'

const database = 'stepward'
const [state, leases] = ['state', 'leases']

/** Returns a state container with two partitions, and the options of units on it. */
function world() {
  const clock = new VirtualClock(submittedAtMs)
  const random = seededRandom(1)
  const telemetry = new TelemetryRecorder()
  const engine = new CosmosEngine({ now: () => clock.now(), nextId: () => random.id(), partitionCount: 2 })
  engine.createDatabase(database)
  const byPk = { paths: ['/pk'], kind: 'Hash', version: 2 }
  engine.createContainer(database, { id: state, partitionKey: byPk, defaultTtl: -1 })
  engine.createContainer(database, { id: leases, partitionKey: { ...byPk, paths: ['/id'] } })
  const ports = enginePorts(engine, database)
  const [store, queries] = [ports.stateStore(state), ports.jobQueries(state)]
  const hints = new FeedHints()
  const unitOptions = (processorName: string, instanceName: string): UnitOptions => ({
    store,
    feed: ports.changeFeed(state),
    leases: ports.leaseStore({ leaseContainer: leases, monitoredContainer: state, processorName }),
    processorName,
    instanceName,
    hints,
    telemetry,
    clock,
    random,
  })
  const client = new JobClient({ store, queries, clock, telemetry })
  return { clock, telemetry, store, hints, unitOptions, client }
}

/** Starts one instance of each role. */
async function running(
  { clock, unitOptions }: ReturnType<typeof world>,
  agents: readonly Agent[],
  timing: ProcessorTiming = {},
): Promise<{ stop(): Promise<void> }> {
  const units: Unit[] = [
    createScheduler(unitOptions('scheduler', 's1')),
    createAgents({ ...unitOptions('agents', 'a1'), agents, timing, slots: 4, stopBudget: 100 }),
    createSupervisor({
      ...unitOptions('supervisor', 'v1'),
      agentsLeases: unitOptions('agents', 'v1').leases,
      sweepInterval: 10_000,
      deadlineGrace: 500,
    }),
  ]
  const started = Promise.all(units.map((unit) => unit.start()))
  await clock.advance(1_000)
  await started
  return {
    stop: async () => {
      const stopped = Promise.all(units.map((unit) => unit.stop()))
      await clock.advance(10_000)
      await stopped
    },
  }
}

describe('deployment units of the three roles', () => {
  it('complete jobs together, and leave no timer behind (R86)', async () => {
    const here = world()
    const units = await running(here, [shop])
    const shape = { reserve: [], charge: ['reserve'], ship: ['charge'] }
    for (const jobId of ['one', 'two', 'three', 'four']) {
      await here.client.submit(aWorkflow(shape), {}, { jobId })
    }
    await here.clock.advance(5_000)
    expect((await here.client.list()).map(({ state }) => state)).toEqual(Array(4).fill('Processed'))
    await units.stop()
    expect(here.clock.pendingTimers).toBe(0)
    expect(here.telemetry.of('delegate.failed')).toEqual([])
  })

  it('read the pauses again soon after a hint about all ranges, and not after one about a range', async () => {
    const here = world()
    let reads = 0
    const { store } = here
    const read = store.read.bind(store)
    store.read = (address) => {
      if (address.id === pausesDocumentId) reads += 1
      return read(address)
    }
    const units = await running(here, [shop])
    await here.clock.advance(2_000)
    const before = reads
    here.hints.part('scheduler').notify('0')
    await here.clock.advance(1_000)
    expect(reads).toBe(before)
    here.hints.part('scheduler').notify(null)
    await here.clock.advance(1_000)
    expect(reads).toBe(before + 1)
    await units.stop()
    here.hints.part('scheduler').notify(null)
    await here.clock.advance(1_000)
    expect(reads).toBe(before + 1)
  })

  it('retry a step that failed, and give up a step that always fails (R2)', async () => {
    const here = world()
    let calls = 0
    const sell = (input: { readonly item: string }): string => {
      calls += 1
      if (input.item === 'never' || calls === 1) throw new Error('sold out')
      return input.item
    }
    const units = await running(here, [defineAgent('shop', { sell })])
    const options = { completeWithin: '10s', retry: { tries: 2, backoff: { min: 100, max: 100 } } } as const
    const job = await here.client.submit(aWorkflow({ later: [] }, options), {}, { jobId: 'later' })
    await here.clock.advance(10_000)
    expect((await job.view()).steps).toMatchObject([{ state: 'Processed', failureCount: 1, attempt: 2 }])
    const other = await here.client.submit(aWorkflow({ never: [] }, options), {}, { jobId: 'never' })
    await here.clock.advance(30_000)
    expect(await other.view()).toMatchObject({
      state: 'Error',
      attention: { stepId: 'never', message: 'step never: given up after 2 failed attempts: sold out' },
    })
    await units.stop()
  })

  it('finish a job whose agents are gone when other agents start (F-A1)', async () => {
    const here = world()
    const hanging = defineAgent('shop', { sell: () => new Promise(() => undefined) })
    const first = await running(here, [hanging])
    const workflow = aWorkflow({ pay: [] }, { completeWithin: '20s' })
    const job = await here.client.submit(workflow, {}, { jobId: 'j' })
    await here.clock.advance(1_000)
    await first.stop()
    expect((await job.view()).steps).toMatchObject([{ state: 'Pending', attempt: 1 }])
    const second = await running(here, [shop])
    await here.clock.advance(5_000)
    // The first agents gave the attempt back when they stopped.
    expect(await job.view()).toMatchObject({ state: 'Processed', steps: [{ attempt: 1, failureCount: 0 }] })
    await second.stop()
    expect(here.clock.pendingTimers).toBe(0)
  })

  it('know how far the agents have come when the feed has no more changes', async () => {
    const { clock, store, unitOptions } = world()
    const inProcessPath = new InProcessPath()
    const order = { id: 'order', pk: 'p', note: 'a document of a user' }
    const starting = async (): Promise<Unit> => {
      const options = { ...unitOptions('agents', 'a1'), inProcessPath, agents: [shop] }
      const agents = createAgents({ ...options, slots: 4, stopBudget: 100 })
      await Promise.all([agents.start(), clock.advance(1_000)])
      return agents
    }
    await (await starting()).stop()
    await store.apply('p', [{ kind: 'create', document: order }])
    await clock.advance(60_000)
    // The agents find an old change first, so they may be behind until they know that it is the last one.
    const agents = await starting()
    for (const offer of inProcessPath.agents.all()) {
      expect(offer.position().lines.size).toBe(0)
      expect(offer.position().begunUntilMs).toBeGreaterThan(clock.now() - 10_000)
    }
    expect(inProcessPath.agents.all()).toHaveLength(2)
    await agents.stop()
  })

  it('leave steps to other agents while an agents instance is unhealthy (R124)', async () => {
    const here = world()
    let reason: string | null = null
    const unhealthy = createAgents({
      ...here.unitOptions('agents', 'a0'),
      agents: [shop],
      unhealthyReason: () => reason,
    })
    await unhealthy.start()
    await here.clock.advance(1_000)
    reason = 'the disk is full'
    await here.clock.advance(40_000)
    expect(here.telemetry.of('unit.unhealthy')).toMatchObject([{ instanceName: 'a0', reason }])
    const units = await running(here, [shop])
    await here.client.submit(aWorkflow(), {}, { jobId: 'one' })
    await here.clock.advance(1_000)
    const [step] = await here.store.listSteps('one', 'one')
    expect(step?.outcome).toMatchObject({ kind: 'success', by: 'a1' })
    const stopped = unhealthy.stop()
    await units.stop()
    await stopped
    expect(here.clock.pendingTimers).toBe(0)
  })

  it('use the clock and the random numbers of the machine when no others are given', async () => {
    const { store, unitOptions } = world()
    const { feed, leases: own } = unitOptions('scheduler', 's1')
    const unit = createScheduler({ store, feed, leases: own, processorName: 'scheduler', instanceName: 's1' })
    await unit.start()
    await unit.stop()
    expect((await own.list()).leases).toHaveLength(2)
  })
})
