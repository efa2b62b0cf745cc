import { describe, expect, it } from 'vitest'
import {
  idleCharge,
  idleCost,
  jobCost,
  limitCost,
  tickCost,
  type CostQuestion,
} from '../../../src/sas/internal.js'
import { defineSchedule } from '../../../src/sas/index.js'
import {
  deployed,
  limitedSteps,
  pricedWorld,
  quickSteps,
  steadyLoad,
  threeSteps,
} from '../../support/job-costs.js'

/** The measured case, as a question to the formulas of `stepward cost`. */
const question: CostQuestion = { ...deployed, steps: 3, claimedSteps: 0 }

// With the charges of the embedded store (cosmos-cost §1), lean index, one partition, all units, defaults.
// The figures include checkpoints, renewals and the polls between jobs.
describe('a job of three steps under steady load', () => {
  it.each([
    { where: 'with all roles in one process', together: true, writeRequests: 4, feedReads: 5, budget: 64 },
    {
      where: 'with the client in another process',
      together: true,
      isClientApart: true,
      writeRequests: 4,
      feedReads: 7,
      budget: 81,
    },
    { where: 'with the roles apart', together: false, writeRequests: 8, feedReads: 16, budget: 165 },
  ])(
    'stays within its budget $where (R129)',
    async ({ together, isClientApart = !together, writeRequests, feedReads, budget }) => {
      const world = await pricedWorld({ together, isClientApart, hasNotifier: true })
      const costs = await steadyLoad(world, { count: 30, perSecond: 5 })
      expect(await world.client.list({ state: 'Processed' })).toHaveLength(35)
      expect(costs.writeRequests).toBe(writeRequests)
      expect(costs.feedReads).toBeLessThanOrEqual(feedReads)
      expect(costs.charge).toBeLessThanOrEqual(budget)
      const computed = jobCost({ ...question, isTogether: together, isClientApart, hasNotifier: true })
      expect(computed.writeRequests).toBe(costs.writeRequests)
      expect(Math.abs(computed.writeCharge / costs.writeCharge - 1)).toBeLessThan(0.02)
      // A scheduler and agents that are woken by another process at once read the submission twice.
      if (isClientApart !== together) expect(computed.feedCharge).toBeGreaterThan(costs.feedCharge)
      await world.stop()
    },
  )

  it('needs no read of a document that the feed delivers or this process writes', async () => {
    const world = await pricedWorld({ together: true })
    await steadyLoad(world, { count: 20, perSecond: 5 })
    expect(world.bill.requests((operation) => operation === 'state.read')).toBe(0)
    await world.stop()
  })

  it('needs only four requests beside the feed when one process submits and waits', async () => {
    const world = await pricedWorld({ together: true })
    await steadyLoad(world, { count: 5, perSecond: 5 })
    world.bill.clear()
    const job = await world.client.submit(threeSteps, { value: 1 }, { jobId: 'waited-for' })
    const result = job.result()
    // Far less than the shortest pause between two polls.
    await world.clock.advance(1)
    expect(Object.keys(await result)).toHaveLength(3)
    expect(world.bill.requests((operation) => operation.startsWith('state.'))).toBe(4)
    await world.stop()
  })
})

it('a tick costs at most ten request units besides the submission of its job (R129)', async () => {
  const world = await pricedWorld({ together: true })
  // The writes of these jobs are transactions with steps, and so do not count as those of the schedule.
  const options = { workflow: quickSteps, every: '1m', input: { value: 1 } }
  await world.client.schedules.set(defineSchedule('minutely', options))
  await world.clock.advance(90_000)
  world.bill.clear()
  await world.clock.advance(10 * 60_000)
  const isTick = (operation: string): boolean => operation === 'state.replace' || operation === 'state.read'
  // Beside the ticks, the scheduler reads the pauses four times a minute.
  const [requests, charge] = [world.bill.requests(isTick) / 10 - 4, world.bill.charge(isTick) / 10 - 4]
  expect(await world.client.list({ state: 'Processed' })).toHaveLength(11)
  // Three reads of each tick, and two writes of the schedule.
  expect(requests).toBe(3.2)
  expect(charge).toBeLessThanOrEqual(10)
  expect(Math.abs(tickCost(question) / charge - 1), `${charge} measured`).toBeLessThan(0.05)
  await world.stop()
})

/** The additional charge of a job that its submission does not begin, or of which a step has its document before its outcome. */
const further = (shape: Partial<CostQuestion>): number =>
  jobCost({ ...question, ...shape }).writeCharge - jobCost(question).writeCharge
const beginning = further({ isLimitedFirst: true })
const ofStep = further({ documentedSteps: 1 })

// A step with a limit has its document before its outcome. If the first thing that a job does is to come to a limit, its submission does not begin it. A limit of the job's
// partition is part of the transactions of the job, and of its submission.
it.each([
  { of: 'second', requests: 2, further: ofStep },
  { of: 'first', requests: 3, further: beginning + ofStep },
  { of: 'job', requests: 3, further: beginning },
  { of: 'second', perPartition: true, requests: 0, further: ofStep },
  { of: 'first', perPartition: true, requests: 0, further: ofStep },
  { of: 'job', perPartition: true, requests: 0 },
] as const)(
  'a limit with room costs at most 26 request units, and these requests: %j',
  async ({ of, requests, ...more }) => {
    const world = await pricedWorld({ together: true })
    const isState = (operation: string): boolean => operation.startsWith('state.')
    const costOf = async (workflow: typeof threeSteps, jobId: string) => {
      world.bill.clear()
      const job = await world.client.submit(workflow, { value: 1 }, { jobId, partitionKey: 'tenant' })
      const result = job.result()
      // The leave of the step waits for up to a second.
      await world.clock.advance(1_001)
      await result
      return { requests: world.bill.requests(isState), charge: world.bill.charge(isState) }
    }
    const workflow = limitedSteps(of, 'perPartition' in more)
    // The scheduler reads a limit until it has seen that no other process changes it.
    for (const jobId of ['a', 'b', 'c']) await costOf(workflow, jobId)
    const [limited, plain] = [await costOf(workflow, 'd'), await costOf(threeSteps, 'e')]
    expect(limited.requests - plain.requests).toBe(requests)
    const computed = limitCost(question)
    const measured = limited.charge - plain.charge - ('further' in more ? more.further : 0)
    expect(measured).toBeLessThanOrEqual(26)
    expect(Math.abs(computed / measured - 1), `${measured} measured`).toBeLessThan(0.08)
    await world.stop()
  },
)

// A leave waits up to a second for the next step, and both share a write. Only the last leave is written alone.
it.each(['second', 'job'] as const)(
  'ten steps in a second through one limit share their writes, if each %s has it',
  async (of) => {
    const world = await pricedWorld({ together: true })
    const isState = (operation: string): boolean => operation.startsWith('state.')
    const costOf = async (workflow: typeof threeSteps, name: string) => {
      world.bill.clear()
      for (let number = 0; number < 10; number += 1) {
        await world.client.submit(workflow, { value: 1 }, { jobId: `${name}-${number}` })
        await world.clock.advance(100)
      }
      await world.clock.advance(1_000)
      return { requests: world.bill.requests(isState) / 10, charge: world.bill.charge(isState) / 10 }
    }
    const workflow = limitedSteps(of)
    await costOf(workflow, 'before')
    const [limited, plain] = [await costOf(workflow, 'limited'), await costOf(threeSteps, 'plain')]
    const [requests, charge] = [limited.requests - plain.requests, limited.charge - plain.charge]
    // The submission of a job with a limit of jobs does not begin it, which takes another request and a replace.
    expect(requests - (of === 'job' ? 1 : 0)).toBeCloseTo(1.1)
    expect(charge - (of === 'job' ? beginning : ofStep), `${charge} measured`).toBeLessThan(16)
    expect(await world.client.limits.list()).toMatchObject([{ inside: [] }])
    await world.stop()
  },
)

describe('idle units', () => {
  it.each([
    { units: 'scheduler, agents and supervisor', hasNotifier: false, budget: 1.95 },
    { units: 'all four', hasNotifier: true, budget: 2.5 },
  ])('($units) cost at most $budget request units per second (R129)', async ({ hasNotifier, budget }) => {
    const world = await pricedWorld({ together: true, hasNotifier })
    await world.clock.advance(60_000)
    world.bill.clear()
    await world.clock.advance(600_000)
    const measured = world.bill.charge() / 600
    expect(measured).toBeLessThanOrEqual(budget)
    const computed = idleCharge(idleCost({ ...question, hasNotifier }))
    expect(Math.abs(computed / measured - 1), `${computed} computed, ${measured} measured`).toBeLessThan(0.02)
    await world.stop()
  })
})
