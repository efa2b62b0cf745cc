import { expect, it } from 'vitest'
import { processorWorld } from '../../support/processor-world.js'
import { doors } from '../../support/cosmos-world.js'

it.each(doors)('a lease contains what its last owner said about itself, on %s', async (door) => {
  const world = await processorWorld(door)
  let busy = 1
  const instance = await world.instance('worker', { report: () => ({ slots: 8, busy }) })
  await instance.processor.start()
  await world.clock.advance(1_000)
  const leases = await world.leaseStore()
  const report = async (): Promise<unknown> => (await leases.read('0'))?.report
  expect(await report()).toEqual({ slots: 8, busy: 1 })
  busy = 5
  // One renewal interval later the lease is written again, and no write is made for the report alone.
  await world.clock.advance(14_000)
  expect(await report()).toEqual({ slots: 8, busy: 5 })
  busy = 2
  await instance.processor.stop()
  expect(await report()).toEqual({ slots: 8, busy: 2 })
  expect((await leases.read('0'))?.owner).toBeNull()
})
