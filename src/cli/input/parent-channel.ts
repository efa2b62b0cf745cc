import type { ToChild, ToParent } from '../../fleet/index.js'
import type { Host } from '../../host/index.js'

/** Informs the parent of this process that the roles are running, and then answers the parent's requests. */
export function answerParent(host: Host): void {
  process.on('message', (message: ToChild) => {
    if (message.ask === 'rebalance') host.rebalance()
    else tellParent({ say: 'figures', figures: host.figures() })
  })
  tellParent({ say: 'running' })
}

/** Disconnects from the parent, because an open channel keeps this process alive. */
export function leaveParent(): void {
  if (process.connected) process.disconnect()
}

/** Sends a message. Ignores an error, because it means that the parent has just died. */
function tellParent(message: ToParent): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined)
}
