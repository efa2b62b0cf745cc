import { expect, it } from 'vitest'
import { jobCharge, jobCost, shapeOfItem } from '../../../src/sas/internal.js'
import {
  deployed,
  isStateWrite,
  listed,
  listOf,
  oneStep,
  pricedWorld,
  repeated,
  threeSteps,
  type PricedWorld,
} from '../../support/job-costs.js'

function expectWithin(share: number, computed: number, measured: number): void {
  expect(Math.abs(computed / measured - 1), `${computed} computed, ${measured} measured`).toBeLessThan(share)
}

/** Returns the units of the writes, and those of all requests about the jobs. */
async function runList({ bill, client, clock }: PricedWorld, count: number) {
  bill.clear()
  const items = Array.from({ length: count }, (_, value) => ({ value }))
  const jobId = `list-of-${count}`
  await client.submit(listed, { items }, { jobId })
  for (let second = 0; second < 10; second += 1) await clock.advance(1_000)
  // The query is not counted, because a list needs none.
  const isCounted = (operation: string): boolean =>
    isStateWrite(operation) || operation === 'feed.read' || operation === 'state.read'
  const [writes, all] = [bill.charge(isStateWrite), bill.charge(isCounted)]
  expect(await client.list({ tags: { parent: jobId }, state: 'Processed' })).toHaveLength(count)
  expect((await (await client.get(jobId))?.view())?.state).toBe('Processed')
  return { writes, all }
}

// A list of twice the length shows what the items cost without the list.
it.each([true, false])(
  'an item of a large list costs what the formula says, with roles together: %j',
  async (isTogether) => {
    const world = await pricedWorld({ together: isTogether })
    await world.clock.advance(2_000)
    const [short, long] = [await runList(world, 30), await runList(world, 60)]
    const question = { ...deployed, ...shapeOfItem(oneStep.plan), isTogether }
    expectWithin(0.03, jobCost(question).writeCharge, (long.writes - short.writes) / 30)
    expectWithin(isTogether ? 0.06 : 0.1, jobCharge(question), (long.all - short.all) / 30)
    // An item whose submission did not begin it would take a replace more.
    if (isTogether) expect((long.all - short.all) / 30).toBeLessThan(50)
    await world.stop()
  },
)

it('a free place of a large list is filled as soon as an item ends in the same process, without a read', async () => {
  const world = await pricedWorld({ together: true })
  const { bill, client, clock } = world
  await clock.advance(2_000)
  bill.clear()
  const items = Array.from({ length: 50 }, (_, value) => ({ value }))
  await client.submit(listOf(5), { items }, { jobId: 'narrow' })
  for (let hundredth = 0; hundredth < 100; hundredth += 1) await clock.advance(10)
  expect((await (await client.get('narrow'))?.view())?.state).toBe('Processed')
  expect(bill.requests((operation) => operation === 'state.read')).toBeLessThan(10)
  await world.stop()
})

it.each([
  { isTogether: true, isPaused: false },
  { isTogether: true, isPaused: true },
  { isTogether: false, isPaused: false },
  { isTogether: false, isPaused: true },
])('each further round costs what the formula says: %j', async ({ isTogether, isPaused }) => {
  const world = await pricedWorld({ together: isTogether })
  const written = async (rounds: number): Promise<number> => {
    world.bill.clear()
    const jobId = `rounds-${rounds}`
    await world.client.submit(repeated(rounds, isPaused ? '1s' : undefined), { value: 1 }, { jobId })
    for (let second = 0; second < 30; second += 1) await world.clock.advance(1_000)
    const charge = world.bill.charge(isStateWrite)
    expect((await (await world.client.get(jobId))?.view())?.state).toBe('Processed')
    return charge
  }
  await world.clock.advance(2_000)
  const [one, four] = [await written(1), await written(4)]
  const shape = { ...deployed, isTogether, steps: 1, claimedSteps: 0 }
  const more = { ...shape, [isPaused ? 'pausedRounds' : 'rounds']: 3 }
  expectWithin(0.05, jobCost(more).writeCharge - jobCost(shape).writeCharge, four - one)
  await world.stop()
})

it.each([true, false])(
  'a job that is deleted later costs the expiry of its steps, with roles together: %j',
  async (isTogether) => {
    const world = await pricedWorld({ together: isTogether })
    await world.clock.advance(2_000)
    world.bill.clear()
    await world.client.submit(threeSteps, { value: 1 }, { jobId: 'kept', retainFor: '7d' })
    await world.clock.advance(4_000)
    const shape = { ...deployed, isTogether, steps: 3, claimedSteps: 0, isRetained: true }
    expectWithin(0.03, jobCost(shape).writeCharge, world.bill.charge(isStateWrite))
    await world.stop()
  },
)
