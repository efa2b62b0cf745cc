import { describe, expect, it } from 'vitest'
import { ContainerReplacedError, type FeedError } from '../../../src/change-feed-processor/index.js'
import { doors } from '../../support/cosmos-world.js'
import { processorWorld } from '../../support/processor-world.js'

const numbered = (count: number, prefix: string): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`)

describe.each(doors)(
  'a container that is deleted and created again while a processor runs, on %s',
  (door) => {
    it('is not read with the positions of the former container, and is read from its beginning after a new start', async () => {
      const world = await processorWorld(door)
      const former = numbered(20, 'former')
      const one = await world.instance('one')
      await one.processor.start()
      for (const id of former) await world.put(id)
      await world.clock.advance(6_000)
      expect(one.delivered).toEqual(former)

      await world.monitoredContainer.delete()
      await world.monitoredContainer.database.containers.create({ id: 'orders', partitionKey: '/pk' })
      // More changes than before, so that the positions of the former container also exist in this one.
      const all = numbered(30, 'new')
      for (const id of all) await world.put(id)
      await world.clock.advance(60_000)
      expect(one.delivered).toEqual(former)
      const failures = one.telemetry.of('feed.failed').map(({ error }) => (error as FeedError).cause)
      expect(failures[0]).toBeInstanceOf(ContainerReplacedError)
      expect(String(failures[0])).toMatch(
        /its resource id was \S+, and is \S+\. .* Start this process again/u,
      )
      await one.processor.stop()

      const two = await world.instance('two')
      await two.processor.start()
      await world.clock.advance(6_000)
      expect(two.delivered).toEqual(all)
      await two.processor.stop()
    })
  },
)
