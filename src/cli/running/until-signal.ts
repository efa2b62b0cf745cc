/** Resolves with the name of the signal when this process is asked to end (SIGTERM, or Ctrl-C). */
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
