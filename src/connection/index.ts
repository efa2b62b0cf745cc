/**
 * # Connection
 *
 * Everything between a configuration and a checked connection to an account. Values come from flags, then from the
 * environment, then from `stepward.config.json` (`settings.ts`, `config-file.ts`, `process-environment.ts`); all problems
 * are reported together. `connection.ts` makes a client of the SDK, `containers.ts` states what each container must be
 * like, `provision.ts` creates them, `await-store.ts` waits for a store that is away, `store-time.ts` keeps its clock.
 *
 * {@link connect} gives programs and commands a client of jobs. Roles are started by `src/host`.
 */
export { connect, type ConnectedClient } from './connect.js'
export { connectionFromEnvironment, connectionProblems, storeName, type Connection } from './connection.js'
export { ConfigurationInvalid } from './errors.js'
export { processSettings, type ProcessSettings } from './process-environment.js'
export { roles, rolesNamed, type Role } from './role.js'
export { instanceNameOf } from './instance-name.js'
export { provision, type Provisioned } from './provision.js'
export { readSettings, type Settings } from './settings.js'
export { credential } from './identity.js'
