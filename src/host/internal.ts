/** The names of this room that only other rooms see. */
export { serveStatus } from './status-server.js'
