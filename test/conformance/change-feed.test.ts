import { cosmosWorld, allDoors } from '../support/cosmos-world.js'
import { SharedChangeFeed } from '../../src/change-feed-processor/internal.js'
import { frozenFeed } from '../../src/testing/frozen-feed.js'
import { changeFeedSuite } from './change-feed.suite.js'

for (const door of allDoors) changeFeedSuite(door, (options) => cosmosWorld(door, options))

for (const door of allDoors)
  changeFeedSuite(`${door}, shared`, async (options) => {
    const world = await cosmosWorld(door, options)
    const { clock } = world
    return { ...world, feed: () => new SharedChangeFeed({ feed: frozenFeed(world.feed()), clock }) }
  })
