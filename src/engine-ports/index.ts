/**
 * # Engine ports
 *
 * Implements the ports (`LeaseStore`, `ChangeFeed`, `StateStore`, `JobQueries`) directly on the engine of the
 * embedded Cosmos DB, without REST or the SDK. Simulations run thousands of instances on these ports. The
 * test suites in `test/conformance` check that the ports behave like the adapters for a real account.
 *
 * Other processes of the machine use the same ports through a socket, the local door (`door/`):
 *
 * ```text
 *  attached process                                      process with the store
 *  door-ports ─► door-connection ─► door-frames ═══════► door-frames ─► door-server ─► engine-ports
 * ```
 *
 * `door-messages.ts` has the messages, and `ended-jobs.ts` notices the ends of jobs for which clients wait.
 * `taken-work.ts` knows which processes take work. `written-versions.ts`, and `own-writes.ts` at the door, keep what a process has
 * written, so that its feed need not parse it.
 *
 * Each port has a file: `engine-lease-store.ts`, `engine-change-feed.ts`, `engine-state-store.ts` and
 * `engine-job-queries.ts`. A method uses the engine synchronously, and its promise resolves after the disk
 * has stored everything (`settled`). Start with `enginePorts` in
 * `engine-ports.ts`. An attached process imports `internal.ts`, which loads nothing of the engine.
 */
export {
  engineOf,
  enginePorts,
  type EnginePorts,
  type EnginePortsOptions,
  type LeaseStoreNames,
  type OnWrite,
} from './engine-ports.js'
export { WrittenVersions } from './written-versions.js'
export { serveDoor } from './door/door-server.js'
