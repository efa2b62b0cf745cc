import type { Begin, ToChild, ToParent } from '../../fleet/index.js'
import type { Host } from '../../host/index.js'

/** Informs the parent of this process that the roles are running, and then answers the parent's requests. */
export function answerParent(host: Host): void {
  process.on('message', (message: ToChild) => {
    if (message.ask === 'rebalance') host.rebalance()
    if (message.ask === 'figures') tellParent({ say: 'figures', figures: host.figures() })
  })
  tellParent({ say: 'running' })
}

/**
 * Waits until the parent says which role to run, and returns null if it has ended instead. By then, this process has
 * loaded the program.
 */
export async function roleFromParent(): Promise<Begin | null> {
  return new Promise((resolve) => {
    const leave = (): void => resolve(null)
    const hear = (message: ToChild): void => {
      if (message.ask !== 'begin') return
      process.off('message', hear).off('disconnect', leave)
      resolve(message)
    }
    process.on('message', hear).once('disconnect', leave)
    if (process.connected) tellParent({ say: 'loaded' })
    else leave()
  })
}

/** Disconnects from the parent, because an open channel keeps this process alive. */
export function leaveParent(): void {
  if (process.connected) process.disconnect()
}

/** Sends a message. Ignores an error, because it means that the parent has just died. */
function tellParent(message: ToParent): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined)
}
