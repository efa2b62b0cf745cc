import type { ToChild, ToParent } from '../../fleet/index.js'
import type { Host } from '../../host/index.js'

/** Tells the parent of this child process that its roles run, and answers what it asks from then on. */
export function answerParent(host: Host): void {
  process.on('message', (message: ToChild) => {
    if (message.ask === 'rebalance') host.rebalance()
    else tellParent({ say: 'figures', figures: host.figures() })
  })
  tellParent({ say: 'running' })
}

/** Lets go of the parent: as long as the channel is open, it keeps this process alive. */
export function leaveParent(): void {
  if (process.connected) process.disconnect()
}

/** A parent that has just died needs to be told nothing any more. */
function tellParent(message: ToParent): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined)
}
