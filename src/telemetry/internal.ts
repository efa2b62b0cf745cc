/** Further exports of this room, for other rooms only. */
export { silent } from './telemetry.js'
