/** Resolves with the signal that asks this process to end (SIGTERM, or SIGINT by Ctrl-C). */
export function untilTold(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const told = (signal: NodeJS.Signals): void => {
      process.off('SIGTERM', told)
      process.off('SIGINT', told)
      resolve(signal)
    }
    process.on('SIGTERM', told)
    process.on('SIGINT', told)
  })
}
