/**
 * # Embedded Cosmos DB
 *
 * A Cosmos DB account in this process, for development and tests: the unmodified `@azure/cosmos` talks to it, and what is
 * true for it is true for the service as far as our code relies on it. One engine holds the rules; there are two doors.
 *
 * - **REST**: `routes` answers the service's REST requests. {@link startEmulator} offers them over HTTP,
 *   {@link createInProcessCosmos} gives the SDK a client that calls them without a socket.
 * - **Ports**: {@link enginePorts} implements our own ports directly on the engine, fast enough for simulations.
 *
 * With a `dataDirectory`, everything outlives the process: memory is the truth while it runs, a journal of the current
 * state is written in order, and **no answer leaves before everything it shows is on disk**. A reader of the feed may
 * keep a position it has seen, so reads wait, too.
 *
 * What goes wrong between a client and the service is had on demand: `faults` delays, fails or cuts off requests, before
 * or after they were carried out.
 *
 * What it does not do, it refuses in plain words rather than pretending: stored procedures, triggers, users.
 */
export { startEmulator, type Emulator, type EmulatorOptions } from './emulator-server.js'
export {
  createInProcessCosmos,
  type InProcessCosmos,
  type InProcessCosmosOptions,
} from './in-process-cosmos.js'
export type { ContainerReference, PartitionChanges, PartitionRange } from './partition-changes.js'
export { AdminRefusal, callAdmin, type AdminCall } from './admin-client.js'
export { wellKnownKey } from './well-known-key.js'
export type { EmulatorStats } from './emulator-stats.js'
export type {
  Fault,
  FaultMatch,
  FaultOperation,
  FaultOptions,
  Faults,
  RequestMatched,
} from './faults/index.js'
export { enginePorts, type EnginePorts, type LeaseStoreNames } from './ports.js'
export { CosmosEngine, Refusal } from './engine/index.js'
