/**
 * # Embedded Cosmos DB
 *
 * A Cosmos DB account in this process, for development and tests: the unmodified `@azure/cosmos` talks to it, and what is
 * true for it is true for the service as far as our code relies on it. It imports `src/platform` and nothing else of ours.
 *
 * - `engine/` holds the rules: documents, transactions, partitions, the change feed, throughput.
 * - `query/` reads and runs SQL.
 * - `rest/` answers the service's REST requests; `messages/` has what requests and answers consist of.
 * - `doors/` lead in: {@link startEmulator} listens on a socket, {@link createInProcessCosmos} gives the SDK a client
 *   that needs none. `src/embedded` is a third one, for our own ports.
 * - `durability/` keeps an account on disk, `faults/` breaks requests on demand.
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
export { startEmulator, type Emulator, type EmulatorOptions } from './doors/emulator-server.js'
export {
  createInProcessCosmos,
  type InProcessCosmos,
  type InProcessCosmosOptions,
} from './doors/in-process-cosmos.js'
export type { ContainerReference, PartitionChanges, PartitionRange } from './engine/partition-changes.js'
export { AdminRefusal, callAdmin, type AdminCall } from './doors/admin-client.js'
export { wellKnownKey } from './doors/well-known-key.js'
export type { EmulatorStats } from './rest/emulator-stats.js'
export type {
  Fault,
  FaultMatch,
  FaultOperation,
  FaultOptions,
  Faults,
  RequestMatched,
} from './faults/index.js'
export { CosmosEngine, Refusal } from './engine/index.js'
