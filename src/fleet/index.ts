/**
 * # Fleet
 *
 * Keeps processes of each role alive on one machine. `fleet.ts` starts them, `role-keeper.ts` replaces one that died after
 * a growing delay and `release-leases.ts` frees its leases at once, so that others need not wait until they expire.
 * Another terminal asks and scales by a socket in the state directory (`control.ts`, `local.ts`). `instance.ts` is the
 * child's side.
 */
export type { FleetRequest, FleetRow, FleetStatus } from './control.js'
export { startFleet, type Fleet } from './fleet.js'
export type { ToChild, ToParent } from './instance.js'
export { socketPath, stateDirectoryOf } from './state-directory.js'
export { fleetStatus, localFleet } from './local.js'
