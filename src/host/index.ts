/**
 * # Host
 *
 * The composition root: the only room that sees concrete classes together. It opens the connection, checks or creates
 * the containers, and builds from configuration either running roles (`startHost`) or the clients through which people
 * and programs look at jobs and leases (`connect`, `listLeases`, `estimateLag`, `examine`).
 *
 * **A start** opens its port first, so that a platform sees that it lives, then waits for the store as long as it was given
 * patience, checks what must hold (containers, keys, time to live, one write region, permission, clocks), and starts role
 * by role. **Running** is alive while its own loops turn (`health.ts`); a store that is away makes it less than ready,
 * never less than alive, and is reported once (`store-trouble.ts`). **A stop** reads no more, gives handlers their budget,
 * checkpoints and releases every lease, idle ones first.
 *
 * `fleet/` keeps processes of a role alive on one machine and answers other terminals; it knows which child has died, and
 * releases that one's leases at once. `scale/` changes how many instances run, here or on App Service, and recommends how
 * many (`recommend-instances.ts`, pure). Configuration comes from flags, environment, file, in this order
 * (`settings.ts`); all that is wrong is said together.
 */
export { connect, type ConnectedClient } from './connect.js'
export { connectionFromEnvironment, connectionProblems, storeName, type Connection } from './connection.js'
export { ConfigurationInvalid } from './errors.js'
export type { FleetRequest, FleetRow, FleetStatus } from './fleet/control.js'
export { startFleet, type Fleet } from './fleet/fleet.js'
export type { ToChild, ToParent } from './fleet/instance.js'
export { socketPath, stateDirectoryOf } from './fleet/state-directory.js'
export { startHost, type Host, type HostFigures, type HostOptions } from './host.js'
export { processSettings, type ProcessSettings } from './process-environment.js'
export { roles, rolesNamed, type Role } from './role.js'
export { instanceNameOf } from './instance-name.js'
export {
  estimateLag,
  examine,
  listLeases,
  standingText,
  standingWork,
  type EstimateRow,
  type Lag,
  type LeaseRow,
  type StandingWork,
  type UnitSelection,
} from './leases.js'
export { provision, type Provisioned } from './provision.js'
export { readSettings, type Settings } from './settings.js'
export { serveStatus } from './status-server.js'
export { credential } from './identity.js'
export { appService } from './scale/app-service.js'
export { fleetStatus, localFleet } from './scale/local.js'
export {
  calmPolicy,
  recommendInstances,
  type Sample,
  type ScalingPolicy,
} from './scale/recommend-instances.js'
export { ResourceManager } from './scale/resource-manager.js'
export type { ScaleTarget } from './scale/scale-target.js'
export { unitLag, type UnitLag } from './scale/unit-lag.js'
export { superviseOnce, type SuperviseOnceOptions } from './supervise-once.js'
