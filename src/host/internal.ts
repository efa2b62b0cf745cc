/** Further exports of this room, for other rooms only. */
export { Metrics } from './metrics.js'
export { verdict } from './health.js'
export { serveStatus } from './status-server.js'
