/**
 * # Embedded Cosmos DB
 *
 * A Cosmos DB account that runs in this process, for development and tests. The unmodified `@azure/cosmos`
 * works with it. The account behaves like the service wherever our code depends on the service's behaviour.
 * Of our other folders, this folder imports only `src/platform`.
 *
 * - `engine/` contains the rules for documents, transactions, partitions, the change feed and throughput.
 * - `query/` reads and runs SQL.
 * - `rest/` answers the service's REST requests, and `messages/` declares requests and answers.
 * - `doors/` contains the ways to use the account. {@link startEmulator} listens on a socket. {@link
 *   createInProcessCosmos} creates clients of the SDK that need no socket. {@link attachAccount} uses the account
 *   of another process. `src/engine-ports` is another way, for our own ports.
 * - `explorer/` contains a page for browsers, which shows the account to developers.
 * - `durability/` keeps an account on disk. Three guards keep two accounts out of one data directory:
 *   `lockDirectory` by a socket, then `openDirectories` within one process, then `assertOnlyProcess` by LMDB's
 *   table of readers. A client without a socket opens the directory while `lockDirectory` still runs, and
 *   writes nothing before the lock is held.
 * - `faults/` delays requests, makes them fail or cuts them off on demand, before or after they are carried
 *   out.
 *
 * With a `dataDirectory`, all data remains after the process ends. While the process runs, memory says which
 * versions of which documents there are. Their texts may be on disk only, because memory keeps texts up to a
 * budget (`memoryBytes`). A journal is written in order, first to a log and later to a store of the current state.
 * **No answer is sent before all data in the answer is on disk**. This applies to reads as well, because a reader of
 * the feed may keep a position that it has seen.
 *
 * The account refuses features that it lacks, such as stored procedures and triggers, with a clear message.
 *
 * Start reading in `doors/account.ts`, which connects the engine, the journal, the routes and the faults.
 */
export type { OpenAccount } from './doors/account.js'
export { attachAccount, type AttachedAccount } from './attach/attached-account.js'
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
