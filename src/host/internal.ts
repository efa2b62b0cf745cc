/** Further exports of this room, for other rooms only. */
export { verdict } from './health.js'
export { serveStatus } from './status-server.js'
