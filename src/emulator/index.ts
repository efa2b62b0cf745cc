/**
 * # Embedded Cosmos DB
 *
 * A Cosmos DB account in this process, for development and tests. The unmodified `@azure/cosmos` works with
 * it. It behaves like the service wherever our code depends on the service's behaviour. It imports only
 * `src/platform`.
 *
 * - `engine/` contains the rules: documents, transactions, partitions, the change feed, throughput.
 * - `query/` reads and runs SQL.
 * - `rest/` answers the service's REST requests; `messages/` declares requests and answers.
 * - `doors/` are the ways to use it: {@link startEmulator} listens on a socket, {@link createInProcessCosmos}
 *   gives the SDK a client that needs none. `src/engine-ports` is a third one, for our own ports.
 * - `durability/` keeps an account on disk, and `faults/` breaks requests on demand.
 *
 * With a `dataDirectory`, all data outlives the process. Memory is authoritative while the process runs. A
 * journal of the current state is written in order, and **no answer leaves before everything it shows is on
 * disk**. This applies to reads as well, because a reader of the feed may keep a position it has seen.
 *
 * `faults` delays, fails or cuts off requests on demand, before or after they were carried out.
 *
 * Features that it lacks are refused with a clear message: stored procedures, triggers, users.
 *
 * Start reading in `doors/account.ts`, which connects engine, journal, routes and faults.
 */
export type { OpenAccount } from './doors/account.js'
export type { AccountOptions } from './doors/account-options.js'
export type { AccountServer, AccountServerOptions } from './doors/account-server.js'
export { startEmulator, type Emulator, type EmulatorOptions } from './doors/emulator-server.js'
export {
  createInProcessCosmos,
  type InProcessCosmos,
  type InProcessCosmosOptions,
} from './doors/in-process-cosmos.js'
export type { ContainerReference, PartitionChanges, PartitionRange } from './engine/partition-changes.js'
export type { KeyRange } from './engine/index.js'
export type { RestRequest } from './messages/rest-message.js'
export type { EmulatorStats } from './rest/emulator-stats.js'
export { faultOperations } from './faults/fault-match.js'
export type {
  Fault,
  FaultMatch,
  FaultOperation,
  FaultOptions,
  Faults,
  RequestMatched,
} from './faults/index.js'
