/** Further exports of this room, for other rooms only. */
export { ownCosmosClient } from '../change-feed-processor/internal.js'
export { configFilePath } from './config-file.js'
export { awaitStore, patienceShape } from './await-store.js'
export { charging, connectWithPorts } from './connect.js'
export {
  connectionProblems,
  connectionShape,
  impatient,
  endpointOf,
  openConnection,
  storeName,
  type OpenConnection,
} from './connection.js'
export { explained, openContainers, type Containers } from './containers.js'
export { credential } from './azure/identity.js'
export { instanceNameOf } from './instance-name.js'
export { processSettings, type ProcessSettings } from './process-environment.js'
export { provision } from './provision.js'
export { neededRoles, processorNameOf, roles, rolesNamed } from './role.js'
export { leaseExpirationMs, ownerless, rangeReaders } from './range-readers.js'
export { readSettings, type Settings } from './settings.js'
export { leasesByRole } from './leases-by-role.js'
export { openPorts, type StorePorts } from './store-ports.js'
export { storeTimeOf } from './store-time.js'
export { reportWrites } from './write-reports.js'
