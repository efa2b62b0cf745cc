/**
 * The local door of attached processes. They import it without `index.ts`, because the engine would delay their start, and
 * so the recovery after the end of another process.
 */
export { openDoor, watchThroughDoor, type DoorAccount, type DoorPorts } from './door/door-ports.js'
export { KnownScheduler, type TakenWork, type WorkingUnits } from './taken-work.js'
