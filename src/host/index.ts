/**
 * # Host
 *
 * The composition root: the only room that sees concrete classes together. It opens the connection, checks or creates
 * the containers, and builds from configuration either running roles (`startHost`) or the clients through which people
 * and programs look at jobs and leases (`connect`, `listLeases`, `estimateLag`, `examine`).
 */
export { connect, type ConnectedClient } from './connect.js'
export { connectionFromEnvironment, type Connection } from './connection.js'
export { ConfigurationInvalid } from './errors.js'
export { roles, startHost, type Host, type HostOptions, type Role } from './host.js'
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
