import { cosmosWorld, allDoors } from '../support/cosmos-world.js'
import { leaseStoreSuite } from './lease-store.suite.js'

for (const door of allDoors) leaseStoreSuite(door, (options) => cosmosWorld(door, options))
