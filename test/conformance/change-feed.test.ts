import { cosmosWorld, doors } from '../support/cosmos-world.js'
import { changeFeedSuite } from './change-feed.suite.js'

for (const door of doors) changeFeedSuite(door, (options) => cosmosWorld(door, options))
