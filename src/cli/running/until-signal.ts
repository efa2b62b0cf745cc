import { systemClock } from '../../platform/index.js'

/**
 * The time in which a second signal counts as the first one. Wrappers such as `npx` and `timeout` pass on a signal that the
 * process may already have got from the terminal.
 */
const sameSignalMs = 1_000

/**
 * Resolves with the signal that asks this process to end (SIGTERM, or SIGINT by Ctrl-C). A later signal ends the process at
 * once.
 */
export function untilTold(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let firstMs: number | null = null
    const told = (signal: NodeJS.Signals): void => {
      firstMs ??= systemClock.monotonic()
      resolve(signal)
      if (systemClock.monotonic() - firstMs < sameSignalMs) return
      process.off('SIGTERM', told)
      process.off('SIGINT', told)
      process.kill(process.pid, signal)
    }
    process.on('SIGTERM', told)
    process.on('SIGINT', told)
  })
}
