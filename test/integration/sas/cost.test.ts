import { describe, expect, it } from 'vitest'
import { pricedWorld, steadyLoad } from '../../support/job-costs.js'

// On the embedded store's charges (cosmos-cost §1), lean index, one partition, three units, every default. Checkpoints,
// renewals and the polls between jobs are in the figures.
describe('what a job of three steps costs under steady load', () => {
  it.each([
    { where: 'with all roles in one process', together: true, writeRequests: 5, feedReads: 13 },
    { where: 'with the roles apart', together: false, writeRequests: 8, feedReads: 18 },
  ])('R129: $where', async ({ together, writeRequests, feedReads }) => {
    const world = await pricedWorld({ together })
    const costs = await steadyLoad(world, { count: 30, perSecond: 5 })
    expect(await world.client.list({ state: 'Processed' })).toHaveLength(35)
    expect(costs.writeRequests).toBe(writeRequests)
    expect(costs.feedReads).toBeLessThanOrEqual(feedReads)
    expect(costs.charge).toBeLessThanOrEqual(200)
    await world.stop()
  })

  it('reads no document that the feed has brought, or that this process has written', async () => {
    const world = await pricedWorld({ together: true })
    await steadyLoad(world, { count: 20, perSecond: 5 })
    expect(world.bill.requests((operation) => operation === 'state.read')).toBe(0)
    await world.stop()
  })
})

describe('what three idle units cost', () => {
  it('at most 4 request units per second', async () => {
    const world = await pricedWorld({ together: true })
    await world.clock.advance(60_000)
    world.bill.clear()
    await world.clock.advance(600_000)
    expect(world.bill.charge() / 600).toBeLessThanOrEqual(4)
    await world.stop()
  })
})
