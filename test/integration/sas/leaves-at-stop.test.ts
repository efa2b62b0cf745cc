import { beforeEach, describe, expect, it } from 'vitest'
import { settle } from '../../../src/sas/decisions/settle.js'
import { gateAddress } from '../../../src/sas/gates/home.js'
import { Gatekeeper } from '../../../src/sas/gates/gatekeeper.js'
import { readGate } from '../../../src/sas/gates/stored-gate.js'
import type { StepDocument } from '../../../src/sas/model/documents.js'
import { JobClient } from '../../../src/sas/client/job-client.js'
import { defineWorkflow } from '../../../src/sas/index.js'
import { shop } from '../../support/a-job.js'
import { deferred } from '../../support/deferred.js'
import { StateWorld } from '../../support/state-world.js'

const leaseToken = '0'
const limited = defineWorkflow<Record<string, never>>('shopping', (job) => {
  job.step('pay', shop.sell, { item: 'pay' }, { undo: 'none', limits: [{ key: 'bank', atOnce: 5 }] })
})

let world: StateWorld
beforeEach(() => {
  world = new StateWorld()
})

async function inside(key = 'bank'): Promise<readonly string[]> {
  const gate = await readGate(world.truth, gateAddress(key))
  return (gate?.holders ?? []).map(({ jobId }) => jobId)
}

/** Lets the store write only after `release`. */
function slowStore() {
  const { promise, resolve } = deferred()
  const { truth } = world
  world.store.apply = async (pk, writes) => {
    await promise
    return truth.apply(pk, writes)
  }
  return resolve
}

/** Begins to write the outcome of the step of a job, as agents of the same process do. */
async function settling(scheduler: ReturnType<StateWorld['scheduler']>, jobId: string) {
  const step = await world.step('pay', jobId)
  const attempt = { number: 1, fence: step.fence, by: 'agents-1' }
  const decide = (current: StepDocument) => {
    const success = { kind: 'success', output: null } as const
    const settled = settle(current, attempt, success, { now: world.clock.now(), random: world.random })
    return settled.kind === 'write'
      ? { write: settled.step, result: null }
      : { write: null, result: settled.reason }
  }
  return scheduler.settleAndSchedule({ step, decide }, leaseToken)
}

describe('a scheduler that stops directly after the end of a step (F-G11)', () => {
  it.each([
    ['whose write is under way', false],
    ['whose agents have not followed up yet', true],
  ])('waits for its leave: a step %s', async (_what, isWritten) => {
    const { store, queries, clock, telemetry } = world
    const scheduler = world.scheduler('agents-1')
    await new JobClient({ store, queries, clock, telemetry }).submit(limited, {}, { jobId: 'a' })
    await scheduler.onChanges(await world.changes())
    expect(await inside()).toEqual(['a'])
    const release = isWritten ? () => undefined : slowStore()
    const settled = settling(scheduler, 'a')
    if (isWritten) await settled
    else await world.clock.advance(0)
    const stopped = scheduler.stop()
    release()
    await stopped
    expect(await inside()).toEqual([])
    expect((await world.job('a')).processState).toBe('Processed')
    // The agents follow up later, and nothing leaves twice.
    const writes = world.faults.count('apply')
    ;(await settled)?.followUp()
    await scheduler.stop()
    expect(world.faults.count('apply')).toBe(writes)
  })
})

it('a scheduler that stops waits 15 seconds at most for a store that does not answer', async () => {
  const { store, queries, clock, telemetry } = world
  const scheduler = world.scheduler('agents-1')
  await new JobClient({ store, queries, clock, telemetry }).submit(limited, {}, { jobId: 'a' })
  await scheduler.onChanges(await world.changes())
  slowStore()
  settling(scheduler, 'a').catch(() => undefined)
  await clock.advance(0)
  let isStopped = false
  const stopped = scheduler.stop().then(() => (isStopped = true))
  await clock.advance(14_999)
  expect(isStopped).toBe(false)
  await clock.advance(1)
  await stopped
})

it('a keeper of limits that stops waits for the leaves that a called step begins', async () => {
  const { store, clock, telemetry } = world
  const visitorOf = (jobId: string) => ({ pk: jobId, jobId, stepId: 'pay', entry: 0 })
  const reads = deferred()
  const keeper: Gatekeeper = new Gatekeeper({
    store,
    clock,
    telemetry,
    goOnHere: async () => {
      await reads.promise
      keeper.leaveForGood('other', visitorOf('a')).catch(() => undefined)
      return true
    },
  })
  const more = { submittedAtMs: 0, priority: 0, withinMs: 60_000, turn: null, reservedMs: null, isLast: true }
  const arrive = (key: string, jobId: string) =>
    keeper.arrive({ visitor: visitorOf(jobId), gate: { key, group: '', atOnce: 1 }, ...more })
  await arrive('other', 'a')
  await arrive('bank', 'a')
  await arrive('bank', 'b')
  const stopped = Promise.all([keeper.leaveForGood('bank', visitorOf('a')), keeper.stop()])
  await clock.advance(0)
  const release = slowStore()
  const states: string[] = []
  const done = stopped.then(() => states.push('stopped'))
  reads.resolve()
  await clock.advance(0)
  states.push('released')
  release()
  await done
  expect(states).toEqual(['released', 'stopped'])
  expect(await inside('bank')).toEqual(['b'])
  expect(await inside('other')).toEqual([])
})
