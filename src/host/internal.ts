/** The additional names of this room that only other rooms see. */
export { verdict } from './health.js'
export { serveStatus } from './status-server.js'
