/**
 * # Connection
 *
 * Turns a configuration into a checked connection to an account. Flags win over the environment, and the
 * environment wins over the configuration file. All problems are reported together.
 *
 * Parts:
 *
 * - Settings: `settings.ts`, `config-file.ts`, `process-environment.ts`, `role.ts` and `instance-name.ts`.
 * - The client: `connection.ts` makes a client of the SDK, and `azure/identity.ts` finds its credential.
 * - Containers: `containers.ts` opens or creates each container and compares it with its role. `provision.ts`
 *   creates the missing ones.
 * - The store: `await-store.ts` waits for a store that does not answer, and `store-time.ts` follows the
 *   store's clock.
 *
 * {@link connect} gives programs and commands a job client. `src/host` starts the roles.
 *
 * Start with `connect.ts`.
 */
export { connect, type ConnectedClient } from './connect.js'
export { connectionFromEnvironment, type Connection, type EmbeddedStore } from './connection.js'
export { blobStorage, type BlobContainer, type BlobStorageOptions } from './azure/blob-storage.js'
export { ConfigurationInvalid } from './errors.js'
export type { StorePatience } from './await-store.js'
export type { Role } from './role.js'
