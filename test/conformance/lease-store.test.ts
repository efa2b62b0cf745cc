import { cosmosWorld, doors } from '../support/cosmos-world.js'
import { leaseStoreSuite } from './lease-store.suite.js'

for (const door of doors) leaseStoreSuite(door, (options) => cosmosWorld(door, options))
