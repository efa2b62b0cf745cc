/**
 * # Host
 *
 * The composition root: the only room that sees concrete classes together. It opens the connection, checks or creates
 * the containers, and builds from configuration either running roles (`startHost`) or the clients through which people
 * and programs look at jobs and leases (`connect`, `listLeases`, `estimateLag`, `examine`).
 */
export { connect, type ConnectedClient } from './connect.js'
export { connectionFromEnvironment, connectionProblems, type Connection } from './connection.js'
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
  type EstimateRow,
  type LeaseRow,
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
