/** The names of this room that only other rooms see. */
export { silent } from './telemetry.js'
