/**
 * # Fleet
 *
 * Keeps processes of each role alive on one machine. `fleet.ts` starts them. `role-keeper.ts` replaces each
 * process that died, after a delay that grows with each failure (`restart-delay.ts`). `release-leases.ts`
 * releases the leases of a dead process immediately, so that other processes need not wait until the leases
 * expire.
 *
 * Another terminal sends requests through a socket in the state directory (`control.ts`, `local.ts`,
 * `state-directory.ts`). `scaled-counts.ts` stores the numbers of processes that a `scale` request sets.
 * `instance.ts` starts one child process and exchanges messages with it. `reserve.ts` keeps one process that has
 * loaded the program and waits for a role.
 *
 * Start with `fleet.ts`, then read `role-keeper.ts`.
 */
export type { FleetRequest, FleetRow, FleetStatus, FleetStore } from './control.js'
export { FleetNotRunning } from './errors.js'
export { startFleet, type Fleet } from './fleet.js'
export type { Begin, ToChild, ToParent } from './instance.js'
export { socketPath, stateDirectoryOf } from './state-directory.js'
export { fleetPlace, fleetStatus, localFleet } from './local.js'
