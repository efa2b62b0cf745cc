/** Runs a function after all events that have arrived by now, so that it can gather their results. */
export function afterThisTurn(run: () => void): void {
  setImmediate(run)
}
